import * as z from 'zod';
import { firstIdAt, type Id, timeOfId } from '../ids.ts';
import type { ControlDecision } from '../policies/verdicts.ts';
import { type FlowPresence, trailsOf } from './artifact-records.ts';
import { decisionPartition } from './keys.ts';
import { entriesIn, monthsBetween } from './series-entries.ts';
import type { Table } from './table.ts';

const DecisionItem = z.object({ sk: z.string(), n: z.string(), c: z.boolean() });

/** A trail by its flow's id and its own name. */
export interface TrailPlace {
  flow: Id;
  trail: string;
}

export type DecisionSubject = { fingerprint: string } | TrailPlace;

/** A decision with the id of its entry, by which decisions of one millisecond keep an order. */
export type StoredDecision = ControlDecision & { entry: Id };

/**
 * Decisions about a control on one artifact or one trail, newest first.
 * @param limit at most so many; all of them when absent
 */
export async function readDecisions(
  table: Table,
  org: Id,
  control: string,
  about: DecisionSubject,
  limit?: number,
): Promise<StoredDecision[]> {
  const pk = decisionPartition(org, control, about);
  const items = await table.query({ pk, newestFirst: true, ...(limit !== undefined && { limit }) });
  return items.map((item) => {
    const { sk: entry, n: name, c: compliant } = DecisionItem.parse(item);
    return { control, name, compliant, at: timeOfId(entry), entry };
  });
}

const TrailEntry = z.object({ f: z.string(), t: z.string() });

/**
 * The trails that a fingerprint was reported in, newest first, as far as its presences do not tell: nothing is read
 * where every flow had it once, since the latest trail of each flow is known then.
 * @param limit the newest so many
 */
export async function readOlderTrails(
  table: Table,
  org: Id,
  fingerprint: string,
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
