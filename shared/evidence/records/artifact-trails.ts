import * as z from 'zod';
import { type Fingerprint, FlowId, firstIdAt, type OrganizationId } from '#shared/base/ids.ts';
import { entriesIn, monthsBetween } from '#shared/series/series-entries.ts';
import type { Table } from '#shared/table/table.ts';
import { type FlowPresence, trailsOf } from './artifact-records.ts';

/** A trail by its flow's id and its own name. */
export interface TrailPlace {
  flow: FlowId;
  trail: string;
}

const TrailEntry = z.object({ f: FlowId, t: z.string() });

/**
 * The trails that a fingerprint was reported in, newest first, as far as its presences do not tell: nothing is read
 * where every flow had it once, since the latest trail of each flow is known then.
 * @param limit the newest so many
 */
export async function readOlderTrails(
  table: Table,
  org: OrganizationId,
  fingerprint: Fingerprint,
  presences: readonly FlowPresence[],
  limit: number,
): Promise<TrailPlace[]> {
  const again = presences.filter(({ first, at }) => first < at);
  if (again.length === 0) return [];
  const from = Math.min(...again.map(({ first }) => first));
  const to = Math.max(...again.map(({ at }) => at));
  const entries = await entriesIn(table, org, trailsOf(fingerprint), monthsBetween(from, to), {
    from: firstIdAt(from),
  });
  return entries
    .slice(-limit)
    .reverse()
    .map((entry) => TrailEntry.parse(entry))
    .map(({ f: flow, t: trail }) => ({ flow, trail }));
}
