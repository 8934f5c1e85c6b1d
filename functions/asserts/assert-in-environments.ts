import * as z from 'zod';
import type { Place } from '#functions/forms/artifact-url.ts';
import { reasonOrSentenceFields, reasonsField, reasonsOut } from '#functions/forms/reasons.ts';
import { secondsOrNull } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { pageUrl } from '#shared/console/pages.ts';
import {
  type AssertedEnvironment,
  assertInEnvironments as assertion,
} from '#shared/environments/asserts/assert-in-environments.ts';
import { explainEnvironments } from '#shared/environments/asserts/explain-asserts.ts';
import { reasonReading } from '#shared/evaluations/explain-decisions.ts';
import { OverrideOut } from '#shared/evidence/overrides.ts';
import { artifactNotInOrg } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flatPage, flatPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { pageFields } from '#shared/http/query-fields.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';
import { FlowVerdict, flowVerdict } from './judged-artifact.ts';

const EnvironmentVerdict = z
  .object({
    environment: z.string().describe('Name of the environment'),
    type: z.string().describe('The type'),
    compliant: z.boolean().nullable().meta({
      description:
        'Null if neither policies nor flows can decide, or if reports stopped for longer than a policy allows',
    }),
    fresh_until: z.number().nullable().meta({
      description:
        'The last instant at which neither silence nor age alone changes the answer, in seconds since the epoch; null if they never do',
    }),
    decided_by: z.enum(['allow_list', 'policies', 'flows']).nullable().meta({
      description: 'What decided: an entry of the allow-list, else policies if there are any, else the flows',
    }),
    policies: z
      .array(
        z.object({
          policy_name: z.string().describe('Name of the policy'),
          policy_version: z.int().describe('Version of the policy'),
          status: z.string().describe('The verdict'),
        }),
      )
      .meta({ description: 'The attached policies with their decisions' }),
    ...reasonOrSentenceFields('Why the artifact is not compliant; empty otherwise'),
    html_url: z.string().describe('Address of a page for people'),
    unreadable: z.literal(true).optional().meta({ description: 'Set if the environment could not be read' }),
  })
  .meta({ id: 'EnvironmentVerdict' });
type EnvironmentVerdict = z.input<typeof EnvironmentVerdict>;

/**
 * GET /asserts/{org}/fingerprint/{fingerprint}/environments: whether an artifact is compliant in each environment
 * (rules/lookups.md#assert-in-all-environments).
 */
export const assertInEnvironments = endpoint({
  operation: 'assertArtifactInEnvironments',
  method: 'GET',
  path: '/asserts/{org}/fingerprint/{fingerprint}/environments',
  summary: 'Assert that an artifact is compliant, in every environment',
  description:
    'Environments by name, each with the verdict of its present policies, or of the flows if it has no policies. An artifact that nobody reported is judged as well.',
  access: 'reader',
  query: z.object({ ...pageFields({ perPage: 50 }), ...reasonsField }),
  success: {
    200: flatPageSchema('environments', EnvironmentVerdict, 'The environments')
      .extend({
        fingerprint: z.string().describe('SHA-256 of the artifact as 64 hex digits'),
        flows: z.array(FlowVerdict).describe('The flows that have the artifact'),
        overrides: z.array(OverrideOut).meta({ description: 'The overrides that the verdicts of the flows rest on' }),
      })
      .meta({ id: 'EnvironmentAssertions' }),
  },
  errors: [artifactNotInOrg],
  uses: READ_BODIES,
  handler: async (request, reading: Pick<Stores, 'table' | 'objects' | 'clock'>) => {
    const { params, query, org } = request;
    const { page, per_page: perPage } = query;
    const asserted = await assertion(reading, org, params.fingerprint, { page, perPage });
    const { fingerprint, total, overrides } = asserted;
    const chains = query.reasons && (await explainEnvironments(reasonReading(reading), request, asserted));
    const items = asserted.environments.map((environment, n) => {
      const reasons = reasonsOut(chains?.[n]);
      if (!('unreadable' in environment)) return { ...verdictOut(environment, request), ...reasons };
      logUnreadable('asserts', request, `environment ${environment.id}`, environment.unreadable);
      return { ...verdictOut({ ...environment, ...UNKNOWN }, request), ...reasons, unreadable: true as const };
    });
    const shown = { page, perPage, total, items };
    return pageAnswer(request, shown, {
      ...flatPage('environments', request, shown),
      fingerprint,
      flows: asserted.flows.map((verdict) => flowVerdict(verdict, fingerprint, request)),
      overrides,
    });
  },
});

const verdictOut = (
  { environment, kind, compliant, freshUntil, decidedBy, evaluations, reasons }: AssertedEnvironment,
  place: Place,
): EnvironmentVerdict => ({
  environment,
  type: kind,
  compliant,
  fresh_until: secondsOrNull(freshUntil),
  decided_by: decidedBy,
  policies: evaluations.map(({ policy_name, policy_version, status }) => ({ policy_name, policy_version, status })),
  reasons,
  html_url: pageUrl(place, '/{org}/environments/{env}', { env: environment }),
});

const UNKNOWN = { compliant: null, unknown: null, freshUntil: null, decidedBy: null, evaluations: [], reasons: [] };
