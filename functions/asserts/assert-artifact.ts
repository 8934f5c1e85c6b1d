import * as z from 'zod';
import { absolute } from '#shared/base/addresses.ts';
import { invalid } from '#shared/base/errors.ts';
import { type Fingerprint, isFingerprint } from '#shared/base/ids.ts';
import { allInOrder } from '#shared/base/parallel.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { readControlDecisions } from '#shared/controls/control-decisions.ts';
import { evaluateArtifact } from '#shared/environments/evaluate.ts';
import { archivedEnvironment, environmentAndPolicy, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { isShaPrefix } from '#shared/evidence/fingerprints.ts';
import { readProvenance } from '#shared/evidence/provenance.ts';
import { type FlowPresence, findFingerprints, readFlowPresences } from '#shared/evidence/records/artifact-records.ts';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { artifactNotInFlow, artifactNotInOrg, unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { artifactStatusOut } from '#shared/evidence/rules/wire.ts';
import { ArtifactStatusOut } from '#shared/evidence/trail-output.ts';
import { readVouchings, type Vouching } from '#shared/evidence/vouching.ts';
import { endpoint, type Organization } from '#shared/http/endpoint.ts';
import { listField } from '#shared/http/query-fields.ts';
import type { Services } from '#shared/http/services.ts';
import { PolicyDecisionOut } from '#shared/policies/rules/decision-schema.ts';
import { controlQuestions } from '#shared/policies/rules/evaluate.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';
import { readScope, type Scope, scopeKind } from './scope.ts';

const FlowVerdict = z
  .object({
    flow: z.string(),
    trail: z.string(),
    compliant: z.boolean(),
    compliance_status: ArtifactStatusOut,
    html_url: z.string(),
  })
  .meta({ id: 'FlowVerdict' });

/** The answer is 200 for either verdict: clients turn it into their exit code (wire flows §8 X1). */
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

/** More policies than an environment may have, and few enough to judge by at once. */
const MOST_POLICIES = 50;

/**
 * GET /asserts/{org}/fingerprint/{fingerprint}: whether an artifact is compliant in its flows (semantics §3.10), in an
 * environment, or by policies (wire environments §6.5).
 */
export const assertArtifact = endpoint({
  operation: 'assertArtifact',
  method: 'GET',
  path: '/asserts/{org}/fingerprint/{fingerprint}',
  summary: 'Assert that an artifact is compliant',
  description:
    'By policies: those that are named, or those of an environment as they are now. Without policies: in every flow that holds it, or in the one asked for, by the latest trail of the flow in which it was reported.',
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
  ],
  uses: READ_BODIES,
  handler: async ({ params, query, org, host }, services) => {
    const { flow_name: flowName } = query;
    const kind = scopeKind(query);
    // Everything is under way as soon as what it needs is known, so that no kind of scope adds a trip (design §5).
    const finding = theFingerprint(services, org, params.fingerprint);
    const flowFinding = flowName === undefined ? undefined : findFlow(services.table, org.id, flowName);
    const scopeReading = readScope(services, org, query, finding);
    const presencesReading = readPresences(services, org, finding, kind === 'flow' ? flowFinding : undefined);
    const [flow, scope, fingerprint, vouchings, decisions, name] = await allInOrder([
      flowFinding,
      scopeReading,
      finding,
      presencesReading.then((presences) => readVouchings(services, org, presences)),
      Promise.all([presencesReading, scopeReading]).then(([presences, { policies }]) =>
        readControlDecisions(
          services,
          org,
          presences,
          policies.flatMap(({ content }) => controlQuestions(content)),
        ),
      ),
      presencesReading.then((presences) => (kind === 'flow' ? '' : nameOf(services, org, presences))),
    ]);

    if (flow === null) throw unknownFlow({ flow: flowName ?? '', org: org.name });
    const all = fingerprint === null ? [] : (vouchings.get(fingerprint) ?? []);
    const shown = flow ? all.filter(({ presence }) => presence.flow === flow.id) : all;
    // An environment may allow what was never reported (wire environments §7).
    if (fingerprint === null || (shown.length === 0 && !(scope.allowed && flow === undefined))) {
      const names = { fingerprint: params.fingerprint, org: org.name };
      throw flowName === undefined ? artifactNotInOrg(names) : artifactNotInFlow({ ...names, flow: flowName });
    }

    const { policies, allowed } = scope;
    const { compliant, evaluations } = evaluateArtifact(
      { name, fingerprint },
      { vouchings: all, decisions: decisions.get(fingerprint) ?? [], policies, allowed },
    );
    const flows = shown.map((vouching) => flowVerdict(vouching, fingerprint, { host, org: org.name }));
    return {
      status: 200,
      body: {
        scope: scope.kind,
        // Where no policies say anything its flows do (wire environments §13 row 40).
        compliant: compliant ?? flows.every((verdict) => verdict.compliant),
        ...(scope.kind === 'environment' && { environment: scope.environment }),
        policy_evaluations: evaluations,
        flows,
        html_url: flows[0]?.html_url ?? absolute(host, environmentPath(org, scope)),
      },
    };
  },
});

/** The artifact that a text stands for; null where there is none. @throws ApiError 400 for a prefix that fits several */
async function theFingerprint({ table }: Services, org: Organization, text: string): Promise<Fingerprint | null> {
  if (!isShaPrefix(text)) return null;
  if (isFingerprint(text)) return text;
  const [first, second] = await findFingerprints(table, org.id, text, 2);
  if (second) throw invalid({ fingerprint: `Several artifacts begin with it [input: ${text}]` });
  return first?.fingerprint ?? null;
}

/** The flows that hold the artifact, by its fingerprint; only one of them where no other can matter. */
async function readPresences(
  { table }: Services,
  org: Organization,
  finding: Promise<Fingerprint | null>,
  only: ReturnType<typeof findFlow> | undefined,
): Promise<Map<Fingerprint, FlowPresence[]>> {
  const [fingerprint, flow] = await Promise.all([finding, only]);
  if (fingerprint === null || flow === null) return new Map();
  const presences = await readFlowPresences(table, org.id, fingerprint);
  return new Map([[fingerprint, flow ? presences.filter((presence) => presence.flow === flow.id) : presences]]);
}

/** The name that policies know the artifact by: that of its latest report in the flow that had it first. */
async function nameOf(
  services: Services,
  org: Organization,
  presences: ReadonlyMap<Fingerprint, readonly FlowPresence[]>,
): Promise<string> {
  const [primary] = [...presences.values()].flat();
  if (!primary) return '';
  return (await readProvenance(services, org.id, [primary.artifact])).get(primary.artifact)?.filename ?? '';
}

/** The verdict in one flow's latest trail with the artifact, by the template of that trail's last moment. */
function flowVerdict(
  { flow, presence, compliant, entry, template }: Vouching,
  fingerprint: Fingerprint,
  { host, org }: { host: string; org: string },
): z.input<typeof FlowVerdict> {
  return {
    flow: flow.name,
    trail: presence.trail,
    compliant,
    compliance_status: artifactStatusOut(entry, template),
    html_url: absolute(host, `/${org}/flows/${flow.name}/artifacts/${fingerprint}`),
  };
}

const environmentPath = (org: Organization, scope: Scope): string =>
  scope.kind === 'environment' ? `/${org.name}/environments/${scope.environment}` : `/${org.name}`;
