import * as z from 'zod';
import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { type ComplianceCount, sumOfCounts } from '#shared/policies/rules/verdicts.ts';
import { readEach } from '#shared/table/read-each.ts';
import type { Table } from '#shared/table/table.ts';
import type { EnvironmentHead } from './records/environment-records.ts';
import { readEnvironmentHeads } from './records/environments.ts';
import { snapshotPartition } from './records/keys.ts';
import { readSnapshotRange } from './records/snapshots.ts';
import { areComplete, changesIn, type StateChange, type StateHistory, stateHistory } from './rules/state-intervals.ts';

/** The state of an environment over time, and how many running artifacts have which verdict. */
export interface EnvironmentStates extends StateHistory {
  /** Null if nobody counted. */
  counts: ComplianceCount | null;
}

/** Most intervals of one environment. */
const MOST_INTERVALS = 60;
/** Snapshots that are read of an environment whose snapshots an earlier release stored. */
const MOST_SNAPSHOTS = 100;

/** What runs in an environment without snapshots. */
const NOTHING: ComplianceCount = { true: 0, false: 0, null: 0 };

const StateChangeItem = z.object({ index: z.number(), at: z.number(), state: z.boolean().nullable() });

/**
 * Reads the states of environments since an instant (rules/environments.md#state-changes-over-time). Costs one Query per
 * environment, all in one round trip. An environment with snapshots of earlier releases costs a second Query.
 */
export async function readStateHistories(
  table: Table,
  org: OrganizationId,
  heads: readonly EnvironmentHead[],
  from: Micros,
): Promise<Map<EnvironmentId, EnvironmentStates>> {
  const [changes, counts] = await Promise.all([
    readEach(heads, (head) => readChanges(table, org, head, from)),
    readCounts(table, org, heads),
  ]);
  return new Map(
    heads.map(({ id }, i) => [
      id,
      { ...stateHistory(changes[i] ?? [], from, MOST_INTERVALS), counts: counts.get(id) ?? null },
    ]),
  );
}

/** Reads the changes of the state in a window and the last one before it, oldest first. */
async function readChanges(
  table: Table,
  org: OrganizationId,
  { id, index }: EnvironmentHead,
  from: Micros,
): Promise<StateChange[]> {
  if (index === 0) return [];
  const pk = snapshotPartition(org, id);
  const limit = MOST_INTERVALS + 1;
  const items = await table.query({ pk, prefix: 'V#', newestFirst: true, limit });
  const changes = items.map((item) => ({ ...StateChangeItem.parse(item), isStart: true })).reverse();
  if (changes.length === limit || areComplete(changes, from)) return changes;
  const snapshots = await readSnapshotRange(table, org, id, { from: index - MOST_SNAPSHOTS + 1, to: index });
  return changesIn(snapshots);
}

/**
 * The counts of a head. A logical environment without policies of its own shows what runs in its members, so it has the
 * sum of their counts.
 */
async function readCounts(
  table: Table,
  org: OrganizationId,
  heads: readonly EnvironmentHead[],
): Promise<Map<EnvironmentId, ComplianceCount | null>> {
  const isSum = ({ kind, policies }: EnvironmentHead) => kind === 'logical' && policies.length === 0;
  const members = await readEnvironmentHeads(table, org, [
    ...new Set(heads.filter(isSum).flatMap((head) => head.members)),
  ]);
  const countsIn = (member: EnvironmentHead | undefined): ComplianceCount | null =>
    member?.index === 0 ? NOTHING : (member?.counts ?? null);
  const countsOf = (head: EnvironmentHead): ComplianceCount | null =>
    isSum(head) ? sumOfCounts(head.members.map((id) => countsIn(members.get(id)))) : (head.counts ?? null);
  return new Map(heads.map((head) => [head.id, countsOf(head)]));
}
