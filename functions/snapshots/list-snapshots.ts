import * as z from 'zod';
import { type Micros, toSeconds } from '#shared/base/time.ts';
import { findEnvironment } from '#shared/environments/records/environments.ts';
import { historyOf } from '#shared/environments/records/snapshot-parts.ts';
import { readSnapshotRange, type Snapshot } from '#shared/environments/records/snapshots.ts';
import { NO_HISTORY } from '#shared/environments/rules/expressions.ts';
import { pageOfRange, resolveInterval } from '#shared/environments/rules/interval.ts';
import { unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { flowNotFound } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { booleanField, integerField } from '#shared/http/query-fields.ts';

const SummaryOut = z
  .object({ index: z.int(), from: z.number(), to: z.number(), compliant: z.boolean(), duration: z.number() })
  .meta({ id: 'SnapshotSummary' });

/** A larger `per_page` is lowered to this, without an error (rules/environments.md#snapshot-list). */
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
    page: integerField({ min: 1 })
      .default(1)
      .meta({ description: 'Number of the page, from 1 on', override: { default: 1 } }),
    per_page: integerField({ min: 1 })
      .default(15)
      .meta({ description: `Snapshots on a page, at most ${LARGEST_PAGE}`, override: { default: 15 } }),
    interval: z.string().optional(),
    reverse: booleanField()
      .default(false)
      .meta({ description: 'Oldest first', override: { default: false } }),
  }),
  body: { kind: 'none' },
  success: { 200: z.array(SummaryOut) },
  errors: [flowNotFound],
  handler: async ({ params, query, org }, { table, clock }) => {
    const now = clock.now();
    // A malformed interval is refused before anything is read (rules/snapshot-expressions.md#where-expressions-stand).
    await resolveInterval(query.interval, now, NO_HISTORY);
    const head = await findEnvironment(table, org.id, params.env_name);
    if (!head || head.archived !== null) {
      const { message: detail } = unknownEnvironment({ env: params.env_name, org: org.name });
      throw flowNotFound({}, { detail });
    }
    const range = await resolveInterval(query.interval, now, historyOf(table, org.id, head));
    const { page, reverse } = query;
    const { from, to } = pageOfRange(range, { page, perPage: Math.min(query.per_page, LARGEST_PAGE), reverse });
    const last = Math.min(to + 1, head.index);
    // The page's newest snapshot ends when the next one begins, so that one is read as well.
    const snapshots = from > to ? [] : await readSnapshotRange(table, org.id, head.id, { from, to: last });
    const shown = snapshots
      .map((snapshot, i) => summaryOut(snapshot, snapshots[i + 1], now))
      .filter(({ index }) => index <= to);
    return { status: 200, body: reverse ? shown : shown.reverse() };
  },
});

/** @param next the snapshot that follows; undefined for the newest, which has not ended */
function summaryOut({ index, at, compliant }: Snapshot, next: Snapshot | undefined, now: Micros) {
  return {
    index,
    from: toSeconds(at),
    to: next ? toSeconds(next.at) : 0,
    compliant,
    duration: toSeconds(Math.max(0, (next?.at ?? now) - at)),
  };
}
