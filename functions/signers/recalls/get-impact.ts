import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import {
  type ConcernedTrail,
  getImpact as get,
  impactCursor,
  readImpactCursor,
} from '#shared/environments/recalls/get-impact.ts';
import { trailUrl } from '#shared/evidence/trail-output.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { cursorHeaders } from '#shared/http/paging.ts';
import { cursorFields, integerField, placeBefore } from '#shared/http/query-fields.ts';
import type { Request } from '#shared/http/request.ts';
import { requireKnown } from '#shared/signers/change-recall.ts';
import { getVersioned, READ_RECALLS } from '#shared/signers/read-signers.ts';
import type { RecallTerms } from '#shared/signers/rules/recalls.ts';
import { SignerName } from '#shared/signers/rules/records.ts';
import { unknownRecall } from '#shared/signers/rules/sentences.ts';
import { RecallRequest, recallOf } from './recall-forms.ts';

/** Trails that a page looks at. */
const PAGE = { size: 100, largest: 500 };

const query = z.object({
  cursor: cursorFields('Trails').cursor,
  per_page: integerField({ min: 1, max: PAGE.largest })
    .default(PAGE.size)
    .meta({ description: 'Trails that the page looks at', override: { default: PAGE.size } }),
});

const Since = z.number().describe('Since when the artifact runs there without a break, in seconds since the epoch');

const ImpactOut = z
  .object({
    trails: z
      .array(
        z.object({
          flow_name: z.string().describe('Name of the flow'),
          trail_name: z.string().describe('Name of the trail'),
          html_url: z.string().describe('Address of a page for people'),
          evidence: z
            .array(
              z.object({
                attestation_id: z.string().describe('Id of the attestation'),
                attestation_name: z.string().describe('Name of the attestation'),
                attestation_type: z.string().describe('Type of the attestation'),
                reported_at: z.number().describe('When it was reported, in seconds since the epoch'),
                fingerprints: z.array(z.string()).describe('The artifacts of the trail that it is about'),
              }),
            )
            .describe('The newest attestations of their slots that the recall matches'),
          artifacts: z
            .array(
              z.object({
                fingerprint: z.string().describe('SHA-256 of the artifact'),
                name: z.string().nullable().describe('Template reference name; null if the trail does not have it'),
                running: z
                  .array(z.object({ environment: z.string().describe('Name of the environment'), since: Since }))
                  .describe('Where the artifact runs now, by name of the environment'),
              }),
            )
            .describe('The artifacts that the evidence is about'),
        }),
      )
      .describe('The trails of the page. A page can be short or empty and still have a next one'),
    environments: z
      .array(
        z.object({
          environment: z.string().describe('Name of the environment'),
          artifacts: z.int().describe('Number of artifacts of the page that run there'),
          since: z.number().describe('Since when the first of them runs there, in seconds since the epoch'),
        }),
      )
      .describe('The environments in which artifacts of the page run, by name'),
    next_cursor: z.string().nullable().describe('The `cursor` of the next page; null if this page is the last'),
  })
  .meta({ id: 'RecallImpact' });

type Asked = Pick<Request<unknown, z.output<typeof query>>, 'org' | 'host' | 'path' | 'query' | 'rawQuery'>;

/** Answers a page of what a recall concerns, whether it is stored or not. */
async function impactPage(request: Asked, stores: Pick<Stores, 'table' | 'clock'>, recall: RecallTerms) {
  const { org, host } = request;
  const { cursor, per_page: limit } = request.query;
  const place = placeBefore(cursor, (given) => readImpactCursor(org.id, recall, given));
  const { trails, environments, next } = await get(stores, org.id, recall, { place, limit });
  const following = next && impactCursor(org.id, recall, next);
  return {
    status: 200 as const,
    headers: cursorHeaders(request, following),
    body: {
      trails: trails.map((trail) => trailOut(trail, { host, org: org.name })),
      environments: environments.map(({ since, ...one }) => ({ ...one, since: toSeconds(since) })),
      next_cursor: following,
    },
  };
}

const trailOut = (
  { flowName, trail, evidence, artifacts }: ConcernedTrail,
  { host, org }: { host: string; org: string },
): z.input<typeof ImpactOut>['trails'][number] => ({
  flow_name: flowName,
  trail_name: trail,
  html_url: trailUrl(host, org, flowName, trail),
  evidence: evidence.map(({ id, name, type, at, fingerprints }) => ({
    attestation_id: id,
    attestation_name: name,
    attestation_type: type,
    reported_at: toSeconds(at),
    fingerprints,
  })),
  artifacts: artifacts.map(({ fingerprint, name, running }) => ({
    fingerprint,
    name,
    running: running.map(({ environment, since }) => ({ environment, since: toSeconds(since) })),
  })),
});

/** GET /recalls/{org}/{name}/impact: what a recall concerns now (rules/verified-evidence.md#impact). */
export const getRecallImpact = endpoint({
  operation: 'getRecallImpact',
  method: 'GET',
  path: '/recalls/{org}/{name}/impact',
  summary: 'Get what a recall concerns',
  description:
    'Trails whose newest evidence the recall matches, their artifacts, and where these run now and since when. Of a deleted recall: what it would concern. Send `next_cursor` as `cursor` to get the next page.',
  access: 'reader',
  query,
  success: { 200: ImpactOut },
  errors: [unknownRecall],
  handler: async (request, stores: Pick<Stores, 'table' | 'clock'>) =>
    impactPage(request, stores, await getVersioned(READ_RECALLS, stores, request.org, request.params.name)),
});

/** POST /recalls/{org}/{name}/impact: what a recall would concern, before it is saved (rules/verified-evidence.md#impact). */
export const tryRecall = endpoint({
  operation: 'tryRecall',
  method: 'POST',
  path: '/recalls/{org}/{name}/impact',
  summary: 'Get what a recall would concern',
  description:
    'Takes what `PUT /recalls/{org}/{name}` takes and stores nothing. The answer is that of `GET …/impact`; send the same body with each `cursor`.',
  access: 'reader',
  params: z.object({ org: z.string(), name: SignerName }),
  query,
  body: { kind: 'json', schema: RecallRequest },
  success: { 200: ImpactOut },
  handler: async (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const recall = recallOf(request.body);
    await requireKnown(stores, request.org, recall.target);
    return impactPage(request, stores, recall);
  },
});
