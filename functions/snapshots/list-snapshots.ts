import * as z from 'zod';
import { type Micros, toSeconds } from '#shared/base/time.ts';
import { findEnvironment } from '#shared/environments/records/environments.ts';
import { historyOf } from '#shared/environments/records/snapshot-parts.ts';
import { readSnapshotRange, type Snapshot } from '#shared/environments/records/snapshots.ts';
import { INTERVAL_PATTERN, NO_HISTORY } from '#shared/environments/rules/expressions.ts';
import { pageOfRange, rangeSize, resolveInterval } from '#shared/environments/rules/interval.ts';
import { unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { flowNotFound } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { pageAnswer } from '#shared/http/paging.ts';
import { booleanField, pageFields } from '#shared/http/query-fields.ts';

const SummaryOut = z
  .object({
    index: z.int(),
    from: z.number(),
    to: z.number(),
    compliant: z.boolean(),
    state: z.boolean().nullable(),
    duration: z.number(),
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
  params: z.object({ org: z.string(), env_name: z.string() }),
  query: z.object({
    ...pageFields({ perPage: 15, max: LARGEST_PAGE }),
    interval: z.string().meta({ pattern: INTERVAL_PATTERN }).optional(),
    reverse: booleanField()
      .default(false)
      .meta({ description: 'Oldest first', override: { default: false } }),
  }),
  body: { kind: 'none' },
  success: { 200: z.array(SummaryOut) },
  errors: [flowNotFound],
  // A malformed interval is refused before anything is read (rules/snapshot-expressions.md#where-expressions-stand).
  checks: [({ query }, { clock }) => resolveInterval(query.interval, clock.now(), NO_HISTORY)],
  handler: async (request, { table, clock }) => {
    const { params, query, org } = request;
    const now = clock.now();
    const head = await findEnvironment(table, org.id, params.env_name);
    if (!head || head.archived !== null) {
      const { message: detail } = unknownEnvironment({ env: params.env_name, org: org.name });
      throw flowNotFound({}, { detail });
    }
    const range = await resolveInterval(query.interval, now, historyOf(table, org.id, head));
    const { page, per_page: perPage, reverse } = query;
    const { from, to } = pageOfRange(range, { page, perPage, reverse });
    const last = Math.min(to + 1, head.index);
    // The page's newest snapshot ends when the next one begins, so that one is read as well.
    const snapshots = from > to ? [] : await readSnapshotRange(table, org.id, head.id, { from, to: last });
    const shown = snapshots
      .map((snapshot, i) => summaryOut(snapshot, snapshots[i + 1], now))
      .filter(({ index }) => index <= to);
    return pageAnswer(request, { page, perPage, total: rangeSize(range) }, reverse ? shown : shown.reverse());
  },
});

/** @param next the snapshot that follows; undefined for the newest, which has not ended */
function summaryOut({ index, at, compliant, state }: Snapshot, next: Snapshot | undefined, now: Micros) {
  return {
    index,
    from: toSeconds(at),
    to: next ? toSeconds(next.at) : 0,
    compliant,
    state,
    duration: toSeconds(Math.max(0, (next?.at ?? now) - at)),
  };
}
