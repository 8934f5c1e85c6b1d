import type { EnvironmentId, Id, OrganizationId } from '#shared/base/ids.ts';
import { RecordGone } from '#shared/base/proofs/record-gone.ts';
import { sequence } from '#shared/table/keys.ts';
import type { Item, Table } from '#shared/table/table.ts';
import type { IndexRange } from '../rules/interval.ts';
import { EnvironmentEventItem, type EnvironmentHead } from './environment-records.ts';
import { environmentEventPartition, repoEventPartition } from './keys.ts';
import { readSnapshots, snapshotOf } from './snapshots.ts';

/** An event of an environment with its number: 1, 2, 3 … as snapshots reserved them (rules/environments.md#events). */
export type EnvironmentEvent = Omit<EnvironmentEventItem, 'sk'> & { number: number };

export function readEvent(item: Item): EnvironmentEvent {
  const { sk, ...event } = EnvironmentEventItem.parse(item);
  return { ...event, number: Number(sk) };
}

/**
 * Finds the numbers of the events of a range of snapshots. Reads the summaries at both ends of the range. The end at the
 * first snapshot and the end at the newest one need no read.
 * @param snapshots numbers within the history of the head; empty if `from` is above `to`
 */
export async function eventNumbers(
  table: Table,
  org: OrganizationId,
  { id: environment, index: newest, events }: EnvironmentHead,
  snapshots: IndexRange,
): Promise<IndexRange> {
  const { from, to } = snapshots;
  if (from > to) return { from: 1, to: 0 };
  const asked = [...(from > 1 ? [from] : []), ...(to < newest ? [to] : [])];
  const read = await readSnapshots(
    table,
    org,
    asked.map((index) => ({ environment, index })),
  );
  const summary = (index: number) => {
    const found = read[asked.indexOf(index)];
    if (!found) throw new RecordGone(snapshotOf(environment, index));
    return found;
  };
  const last = to < newest ? summary(to) : null;
  return {
    from: (from > 1 ? summary(from).eventsBefore : 0) + 1,
    to: last ? last.eventsBefore + last.events : events,
  };
}

/**
 * Reads events by number, ascending. Snapshots reserve the numbers, and the relay writes the events later. Events that
 * are not written yet are left out.
 */
export async function readEvents(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  { from, to }: IndexRange,
): Promise<EnvironmentEvent[]> {
  if (from > to) return [];
  const pk = environmentEventPartition(org, environment);
  return (await table.query({ pk, from: sequence(from), to: sequence(to) })).map(readEvent);
}

/** Reads the newest events before an event, newest first. @param before number of that event; null = the newest of all */
export async function readEventsBefore(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  before: number | null,
  limit: number,
): Promise<EnvironmentEvent[]> {
  const range = { pk: environmentEventPartition(org, environment), newestFirst: true, limit };
  const to = before === null ? {} : { to: sequence(Math.max(0, before - 1)) };
  return (await table.query({ ...range, ...to })).map(readEvent);
}

/** Reads the newest events of each environment, newest first, with one call per environment. @param limit events of each */
export async function readNewestEvents(
  table: Table,
  org: OrganizationId,
  environments: readonly EnvironmentId[],
  limit: number,
): Promise<EnvironmentEvent[][]> {
  const newest = (id: EnvironmentId) => ({ pk: environmentEventPartition(org, id), newestFirst: true, limit });
  return (await table.queryEach(environments.map(newest))).map((items) => items.map(readEvent));
}

/** Reads at most `limit` events about artifacts of one repository, ascending, or newest first. */
export async function readRepoEvents(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  repo: Id,
  { from, to, newestFirst, limit }: IndexRange & { newestFirst: boolean; limit: number },
): Promise<EnvironmentEvent[]> {
  if (from > to) return [];
  const pk = repoEventPartition(org, environment, repo);
  return (await table.query({ pk, from: sequence(from), to: sequence(to), newestFirst, limit })).map(readEvent);
}
