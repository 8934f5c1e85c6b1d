import * as z from 'zod';
import { effectiveVerdict } from '#shared/evidence/verdict.ts';
import { artifactStatusOut } from '#shared/evidence/wire.ts';
import { endpoint, type Organization } from '#shared/http/endpoint.ts';
import { invalid } from '#shared/http/errors.ts';
import { absolute } from '#shared/http/paging.ts';
import { listField } from '#shared/http/query-fields.ts';
import {
  artifactNotInFlow,
  artifactNotInOrg,
  environmentAndPolicy,
  unknownEnvironment,
  unknownFlow,
  unknownPolicy,
} from '#shared/http/sentences.ts';
import { isFingerprint, isShaPrefix } from '#shared/reports/fingerprints.ts';
import type { Services } from '#shared/services.ts';
import { type FlowPresence, findFingerprints, readFlowPresences } from '#shared/store/artifact-records.ts';
import { findFlow, readFlowNames } from '#shared/store/flows.ts';
import { loadTemplate } from '#shared/store/templates.ts';
import { readTrailState } from '#shared/store/trails.ts';
import { READ_BODIES } from '#shared/store/uses.ts';
import { ArtifactStatusOut } from '../trails/trail-output.ts';

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
    policy_evaluations: z.array(z.looseObject({})),
    flows: z.array(FlowVerdict),
    html_url: z.string(),
  })
  .meta({ id: 'ArtifactAssertion' });

/** GET /asserts/{org}/fingerprint/{fingerprint}: whether an artifact is compliant (semantics §3.10, wire flows X1). */
export const assertArtifact = endpoint({
  operation: 'assertArtifact',
  method: 'GET',
  path: '/asserts/{org}/fingerprint/{fingerprint}',
  summary: 'Assert that an artifact is compliant',
  description:
    'Compliant in every flow that holds it, or in the one asked for: in the latest trail of the flow in which it was reported.',
  access: 'reader',
  params: z.object({ org: z.string(), fingerprint: z.string() }),
  query: z.object({
    flow_name: z.string().optional(),
    environment_name: z.string().optional(),
    policy_name: listField(z.string()).optional(),
  }),
  body: { kind: 'none' },
  success: { 200: AssertOut },
  errors: [unknownFlow, artifactNotInFlow, artifactNotInOrg, environmentAndPolicy, unknownEnvironment, unknownPolicy],
  uses: READ_BODIES,
  handler: async ({ params, query, org, host }, services) => {
    const { flow_name: flowName, environment_name: environment, policy_name: policies = [] } = query;
    if (environment !== undefined && policies.length > 0) throw environmentAndPolicy();
    // Neither can exist before its endpoints do, so whatever is named is unknown.
    if (environment !== undefined) throw unknownEnvironment({ env: environment, org: org.name });
    if (policies[0] !== undefined) throw unknownPolicy({ policy: policies[0], org: org.name });

    const { table } = services;
    const [{ fingerprint, all }, flow] = await Promise.all([
      presencesOf(services, org, params.fingerprint),
      flowName === undefined ? undefined : findFlow(table, org.id, flowName),
    ]);
    if (flow === null) throw unknownFlow({ flow: flowName ?? '', org: org.name });
    const presences = flow ? all.filter((presence) => presence.flow === flow.id) : all;
    if (fingerprint === null || presences.length === 0) {
      const names = { fingerprint: params.fingerprint, org: org.name };
      throw flowName === undefined ? artifactNotInOrg(names) : artifactNotInFlow({ ...names, flow: flowName });
    }
    const names = readFlowNames(
      table,
      org.id,
      presences.map((presence) => presence.flow),
    );
    const flows = await Promise.all(
      presences.map(async (presence) => {
        const verdict = await verdictIn(services, org, presence, fingerprint);
        const name = (await names).get(presence.flow) ?? '';
        return {
          flow: name,
          trail: presence.trail,
          ...verdict,
          html_url: absolute(host, `/${org.name}/flows/${name}/artifacts/${fingerprint}`),
        };
      }),
    );
    return {
      status: 200,
      body: {
        scope: 'flow' as const,
        compliant: flows.every(({ compliant }) => compliant),
        policy_evaluations: [],
        flows,
        html_url: flows[0]?.html_url ?? '',
      },
    };
  },
});

/** The artifact that a text stands for, null where there is none, and every flow that holds it. */
async function presencesOf(services: Services, org: Organization, text: string) {
  const fingerprint = await theFingerprint(services, org, text);
  const all = fingerprint === null ? [] : await readFlowPresences(services.table, org.id, fingerprint);
  return { fingerprint, all };
}

/** @throws ApiError 400 for a prefix that fits several artifacts */
async function theFingerprint({ table }: Services, org: Organization, text: string): Promise<string | null> {
  if (!isShaPrefix(text)) return null;
  if (isFingerprint(text)) return text;
  const [first, second] = await findFingerprints(table, org.id, text, 2);
  if (second) throw invalid({ fingerprint: `Several artifacts begin with it [input: ${text}]` });
  return first?.fingerprint ?? null;
}

/** The verdict in the flow's latest trail with the artifact, by the template of that trail's last moment. */
async function verdictIn(
  { table, objects }: Services,
  org: Organization,
  { flow, trail }: FlowPresence,
  fingerprint: string,
) {
  const read = await readTrailState(table, org.id, flow, trail);
  const verdict =
    read && effectiveVerdict(read.state, await loadTemplate(table, objects, org.id, read.state.template), fingerprint);
  if (!read || !verdict) throw new Error(`Artifact ${fingerprint} is not in the trail that names it`);
  return { compliant: verdict.is_compliant, compliance_status: artifactStatusOut(verdict.entry, read.state.template) };
}
