import * as z from 'zod';
import type { Place } from '#functions/forms/artifact-url.ts';
import { reasonFields, reasonsField, reasonsOut } from '#functions/forms/reasons.ts';
import { AnyEnvironmentName, AnyFlowName, AnyPolicyName } from '#shared/base/names.ts';
import { secondsOrNull } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { pageUrl } from '#shared/console/pages.ts';
import { type Assertion, assertArtifact as assertion } from '#shared/environments/asserts/assert-artifact.ts';
import { explainAssertion } from '#shared/environments/asserts/explain-asserts.ts';
import {
  archivedEnvironment,
  environmentAndPolicy,
  tooManyResults,
  unknownEnvironment,
} from '#shared/environments/rules/sentences.ts';
import { reasonReading } from '#shared/evaluations/explain-decisions.ts';
import { artifactNotInFlow, artifactNotInOrg, unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { listField } from '#shared/http/query-fields.ts';
import { PolicyDecisionOut } from '#shared/policies/rules/decision-schema.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';
import { FlowVerdict, flowVerdict } from './judged-artifact.ts';

/** The answer of an assert (rules/lookups.md#assert-answer). Its status is 200 for either verdict. */
const AssertOut = z
  .object({
    scope: z
      .enum(['flow', 'environment', 'policy'])
      .describe('What decided: the flows, the environment, or the named policies'),
    compliant: z.boolean().describe('Whether it is compliant'),
    state: z
      .boolean()
      .nullable()
      .describe('Whether it is compliant; null if unknown, which `compliant` shows as false'),
    state_reason: z.string().nullable().describe('Why it is unknown: reports stopped for longer than a policy allows'),
    fresh_until: z
      .number()
      .nullable()
      .describe(
        'The last instant at which neither silence nor age alone changes the answer, in seconds since the epoch; null if they never do',
      ),
    environment: z.string().optional().describe('Name of the environment that decided'),
    policy_evaluations: z.array(PolicyDecisionOut).describe('The decision of each policy'),
    flows: z.array(FlowVerdict).describe('The verdict in each flow that has the artifact'),
    html_url: z.string().describe('Address of a page for people'),
    ...reasonFields,
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
  query: z.object({
    flow_name: AnyFlowName.optional(),
    environment_name: AnyEnvironmentName.optional(),
    policy_name: listField(AnyPolicyName).max(MOST_POLICIES).optional(),
    ...reasonsField,
  }),
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
  handler: async ({ params, query, org, host }, reading: Pick<Stores, 'table' | 'objects' | 'clock'>) => {
    const { flow_name: flow, environment_name: environment, policy_name: policies } = query;
    const asserted = await assertion(reading, org, params.fingerprint, { flow, environment, policies });
    const { scope, fingerprint, compliant, unknown, freshUntil, decisions } = asserted;
    const chain = query.reasons && (await explainAssertion(reasonReading(reading), { host, org }, asserted));
    const flows = asserted.flows.map((verdict) => flowVerdict(verdict, fingerprint, { host, org }));
    return {
      status: 200,
      body: {
        scope: scope.kind,
        compliant,
        state: unknown === null ? compliant : null,
        state_reason: unknown,
        fresh_until: secondsOrNull(freshUntil),
        ...(scope.kind === 'environment' && { environment: scope.environment }),
        policy_evaluations: decisions,
        flows,
        html_url: flows[0]?.html_url ?? scopeUrl({ host, org }, scope),
        ...reasonsOut(chain),
      },
    };
  },
});

const scopeUrl = (place: Place, scope: Assertion['scope']): string =>
  scope.kind === 'environment'
    ? pageUrl(place, '/{org}/environments/{env}', { env: scope.environment })
    : pageUrl(place, '/{org}', {});
