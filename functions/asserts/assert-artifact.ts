import * as z from 'zod';
import { absolute } from '#shared/base/addresses.ts';
import type { Fingerprint } from '#shared/base/ids.ts';
import { allInOrder } from '#shared/base/parallel.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readControlDecisions } from '#shared/controls/control-decisions.ts';
import { evaluateArtifact } from '#shared/environments/evaluate.ts';
import { limitAssert } from '#shared/environments/limits/check-limit.ts';
import { refuseLongAnswer } from '#shared/environments/limits/shown-limit.ts';
import { decisionsOf } from '#shared/environments/rules/content.ts';
import {
  archivedEnvironment,
  environmentAndPolicy,
  tooManyResults,
  unknownEnvironment,
} from '#shared/environments/rules/sentences.ts';
import { readVerdictsInFlows } from '#shared/evidence/flow-verdicts.ts';
import { type FlowPresence, readFlowPresences } from '#shared/evidence/records/artifact-records.ts';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { artifactNotInFlow, artifactNotInOrg, unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { listField } from '#shared/http/query-fields.ts';
import type { Services } from '#shared/http/services.ts';
import { PolicyDecisionOut } from '#shared/policies/rules/decision-schema.ts';
import { controlQuestions } from '#shared/policies/rules/evaluate.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';
import { FlowVerdict, flowVerdict, readFilename, resolveFingerprint } from './judged-artifact.ts';
import { readScope, type Scope, scopeKind } from './scope.ts';

/** The answer of an assert (rules/lookups.md#assert-answer). Its status is 200 for either verdict. */
const AssertOut = z
  .object({
    scope: z.enum(['flow', 'environment', 'policy']),
    compliant: z.boolean(),
    environment: z.string().optional(),
    policy_evaluations: z.array(PolicyDecisionOut),
    flows: z.array(FlowVerdict),
    html_url: z.string(),
  })
  .meta({ id: 'ArtifactAssertion' });

/** Limits the work of one request. An environment cannot have as many policies. */
const MOST_POLICIES = 50;

/**
 * GET /asserts/{org}/fingerprint/{fingerprint}: whether an artifact is compliant in its flows, in an environment, or by
 * policies (rules/lookups.md#asserts).
 */
export const assertArtifact = endpoint({
  operation: 'assertArtifact',
  method: 'GET',
  path: '/asserts/{org}/fingerprint/{fingerprint}',
  summary: 'Assert that an artifact is compliant',
  description:
    'With `policy_name` or `environment_name` the named policies, or the present policies of the environment, decide. Otherwise every flow that has the artifact decides, or the flow of `flow_name`. Each flow is judged by its latest trail in which the artifact was reported.',
  access: 'reader',
  params: z.object({ org: z.string(), fingerprint: z.string() }),
  query: z.object({
    flow_name: z.string().optional(),
    environment_name: z.string().optional(),
    policy_name: listField(z.string()).max(MOST_POLICIES).optional(),
  }),
  body: { kind: 'none' },
  success: { 200: AssertOut },
  errors: [
    unknownFlow,
    artifactNotInFlow,
    artifactNotInOrg,
    environmentAndPolicy,
    unknownEnvironment,
    archivedEnvironment,
    unknownPolicy,
    tooManyResults,
  ],
  uses: READ_BODIES,
  handler: async ({ params, query, org, host }, services) => {
    const { flow_name: flowName } = query;
    const kind = scopeKind(query);
    // Each read starts as soon as its input is known. No kind of scope then adds a round trip.
    const fingerprintReading = resolveFingerprint(services, org, params.fingerprint);
    const flowReading = flowName === undefined ? undefined : findFlow(services.table, org.id, flowName);
    const scopeReading = readScope(services, org, query, fingerprintReading);
    const presencesReading = readPresences(
      services,
      org,
      fingerprintReading,
      kind === 'flow' ? flowReading : undefined,
    );
    const [flow, scope, fingerprint, verdicts, decisions, name] = await allInOrder([
      flowReading,
      scopeReading,
      fingerprintReading,
      presencesReading.then((presences) => readVerdictsInFlows(services, org, presences)),
      Promise.all([presencesReading, scopeReading]).then(([presences, { policies }]) =>
        readControlDecisions(
          services,
          org,
          presences,
          policies.flatMap(({ content }) => controlQuestions(content)),
        ),
      ),
      presencesReading.then((presences) => (kind === 'flow' ? '' : readFilename(services, org, presences))),
    ]);

    if (flow === null) throw unknownFlow({ flow: flowName ?? '', org: org.name });
    const all = fingerprint === null ? [] : (verdicts.get(fingerprint) ?? []);
    const shown = flow ? all.filter(({ presence }) => presence.flow === flow.id) : all;
    // An environment can allow an artifact that was never reported (rules/lookups.md#allowed-artifacts).
    if (fingerprint === null || (shown.length === 0 && !(scope.allowed && flow === undefined))) {
      const names = { fingerprint: params.fingerprint, org: org.name };
      throw flowName === undefined ? artifactNotInOrg(names) : artifactNotInFlow({ ...names, flow: flowName });
    }

    const { policies, allowed } = scope;
    const evidence = { verdicts: all, decisions: decisions.get(fingerprint) ?? [] };
    limitAssert(kind === 'policy' ? 'policy_name' : 'environment_name', name, policies, evidence);
    const evaluation = evaluateArtifact({ name, fingerprint }, { ...evidence, policies, allowed });
    refuseLongAnswer([evaluation]);
    const flows = shown.map((verdict) => flowVerdict(verdict, fingerprint, { host, org: org.name }));
    return {
      status: 200,
      body: {
        scope: scope.kind,
        // Without policies the flows decide (rules/lookups.md#assert-scopes).
        compliant: evaluation.compliant ?? flows.every((verdict) => verdict.compliant),
        ...(scope.kind === 'environment' && { environment: scope.environment }),
        policy_evaluations: decisionsOf(evaluation),
        flows,
        html_url: flows[0]?.html_url ?? absolute(host, environmentPath(org, scope)),
      },
    };
  },
});

/**
 * Reads the flows that have an artifact.
 * @param only the only flow that counts; undefined if every flow counts
 * @returns the presences by fingerprint; empty if there is no such artifact or flow
 */
async function readPresences(
  { table }: Services,
  org: Organization,
  fingerprintReading: Promise<Fingerprint | null>,
  only: ReturnType<typeof findFlow> | undefined,
): Promise<Map<Fingerprint, FlowPresence[]>> {
  const [fingerprint, flow] = await Promise.all([fingerprintReading, only]);
  if (fingerprint === null || flow === null) return new Map();
  const presences = await readFlowPresences(table, org.id, fingerprint);
  return new Map([[fingerprint, flow ? presences.filter((presence) => presence.flow === flow.id) : presences]]);
}

const environmentPath = (org: Organization, scope: Scope): string =>
  scope.kind === 'environment' ? `/${org.name}/environments/${scope.environment}` : `/${org.name}`;
