import * as z from 'zod';
import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { type ComplianceCount, sumOfCounts } from '#shared/policies/rules/verdicts.ts';
import { instantSequence } from '#shared/table/keys.ts';
import type { Table } from '#shared/table/table.ts';
import type { EnvironmentHead } from './records/environment-records.ts';
import { readEnvironmentHeads } from './records/environments.ts';
import { snapshotPartition } from './records/keys.ts';
import { type StateHistory, stateHistory } from './rules/state-intervals.ts';

/** The state of an environment over time, and how many running artifacts have which verdict. */
export interface EnvironmentStates extends StateHistory {
  /** Null if nobody counted. */
  counts: ComplianceCount | null;
}

/** Most intervals of one environment. */
const MOST_INTERVALS = 60;

/** What runs in an environment without snapshots. */
const NOTHING: ComplianceCount = { true: 0, false: 0, null: 0 };

const StateChangeItem = z.object({
  index: z.number(),
  at: z.number(),
  state: z.boolean().nullable(),
  was: z.boolean().nullable(),
});

/**
 * Reads the states of environments since an instant (rules/environments.md#state-changes-over-time): the changes since then
 * of all environments, in one call per 50 of them.
 */
export async function readStateHistories(
  table: Table,
  org: OrganizationId,
  heads: readonly EnvironmentHead[],
  from: Micros,
): Promise<Map<EnvironmentId, EnvironmentStates>> {
  const changed = heads.filter(({ since }) => since >= from);
  const [changes, counts] = await Promise.all([
    table.queryEach(changed.map(({ id }) => ({ pk: snapshotPartition(org, id), ...changesSince(from) }))),
    readCounts(table, org, heads),
  ]);
  const changesOf = new Map(changed.map(({ id }, i) => [id, changes[i]?.map((item) => StateChangeItem.parse(item))]));
  return new Map(
    heads.map((head) => [
      head.id,
      {
        ...stateHistory(head, changesOf.get(head.id) ?? [], from, MOST_INTERVALS),
        counts: counts.get(head.id) ?? null,
      },
    ]),
  );
}

const changesSince = (from: Micros) => ({ from: `V#${instantSequence(from)}`, to: 'V#~' });

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
  const known = new Map(heads.map((head) => [head.id, head]));
  const unread = heads.filter(isSum).flatMap((head) => head.members.filter((id) => !known.has(id)));
  const members = new Map([...known, ...(await readEnvironmentHeads(table, org, unread))]);
  const countsIn = (member: EnvironmentHead | undefined): ComplianceCount | null =>
    member?.index === 0 ? NOTHING : (member?.counts ?? null);
  const countsOf = (head: EnvironmentHead): ComplianceCount | null =>
    isSum(head) ? sumOfCounts(head.members.map((id) => countsIn(members.get(id)))) : (head.counts ?? null);
  return new Map(heads.map((head) => [head.id, countsOf(head)]));
}
