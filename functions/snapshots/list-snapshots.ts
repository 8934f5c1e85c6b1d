import * as z from 'zod';
import { type Micros, secondsOf, toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { INTERVAL_PATTERN, NO_HISTORY } from '#shared/environments/rules/expressions.ts';
import { resolveInterval } from '#shared/environments/rules/interval.ts';
import { type ListedSnapshot, listSnapshots as list } from '#shared/environments/snapshots/list-snapshots.ts';
import { flowNotFound } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { pageAnswer } from '#shared/http/paging.ts';
import { booleanField, pageFields } from '#shared/http/query-fields.ts';

const SummaryOut = z
  .object({
    index: z.int().describe('Number of the snapshot, from 1 on'),
    from: z.number().describe('When the snapshot was made, in seconds since the epoch'),
    to: z.number().describe('When the next snapshot was made, in seconds since the epoch; 0 for the newest'),
    compliant: z.boolean().describe('Whether it is compliant'),
    state: z.boolean().nullable().describe('Whether the snapshot is compliant; null if unknown'),
    duration: z.number().describe('Seconds from this snapshot to the next, or to now'),
  })
  .meta({ id: 'SnapshotSummary' });

/** Summaries are small, and clients read whole histories (rules/lists.md#page-sizes). */
const LARGEST_PAGE = 1000;

/** GET /snapshots/{org}/{env_name}: lists summaries, newest first (rules/environments.md#snapshot-list). */
export const listSnapshots = endpoint({
  operation: 'listSnapshots',
  method: 'GET',
  path: '/snapshots/{org}/{env_name}',
  summary: 'List the snapshots of an environment',
  description: 'The interval is `[expression]..[expression]`, both ends included; an omitted end is the newest one.',
  access: 'reader',
  row: 15,
  query: z.object({
    ...pageFields({ perPage: 15, max: LARGEST_PAGE }),
    interval: z.string().meta({ pattern: INTERVAL_PATTERN }).optional(),
    reverse: booleanField()
      .default(false)
      .meta({ description: 'Oldest first', override: { default: false } }),
  }),
  success: { 200: z.array(SummaryOut) },
  errors: [flowNotFound],
  // A malformed interval is refused before anything is read (rules/snapshot-expressions.md#where-expressions-stand).
  checks: [({ query }, { clock }) => resolveInterval(query.interval, clock.now(), NO_HISTORY)],
  handler: async (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { params, query, org } = request;
    const { page, per_page: perPage, interval, reverse } = query;
    const { total, snapshots, now } = await list(stores, org, params.env_name, { interval, page, perPage, reverse });
    return pageAnswer(
      request,
      { page, perPage, total },
      snapshots.map((snapshot) => summaryOut(snapshot, now)),
    );
  },
});

function summaryOut({ index, at, until, compliant, state }: ListedSnapshot, now: Micros) {
  return {
    index,
    from: toSeconds(at),
    to: until === null ? 0 : toSeconds(until),
    compliant,
    state,
    duration: secondsOf(Math.max(0, (until ?? now) - at)),
  };
}
