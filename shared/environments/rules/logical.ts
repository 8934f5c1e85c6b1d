import { type EnvironmentId, type Id, storedId } from '#shared/base/ids.ts';

/** Which snapshot of each member a logical snapshot is made of: member's id → index (design §5, «Logical environments»). */
export type MemberIndexes = Readonly<Record<Id, number>>;

/** The members and their snapshots, one by one. */
export const placesOf = (members: MemberIndexes): { environment: EnvironmentId; index: number }[] =>
  Object.entries(members).map(([environment, index]) => ({ environment: storedId(environment), index }));

/**
 * The members' indexes after a member gained a snapshot.
 * @returns null when the member's snapshot is not newer than the one known, so that nothing is to be appended
 */
export function withMemberSnapshot(known: MemberIndexes, member: EnvironmentId, index: number): MemberIndexes | null {
  return index > (known[member] ?? 0) ? { ...known, [member]: index } : null;
}

/**
 * What runs in a logical environment: everything that runs in its members, each row with the id of the environment
 * that it runs in (semantics §5.9).
 */
export const unionOfMembers = <R extends object>(
  members: readonly { id: EnvironmentId; rows: readonly R[] }[],
): (R & { environment: EnvironmentId })[] =>
  members.flatMap(({ id, rows }) => rows.map((row) => ({ ...row, environment: id })));

/**
 * The state of a logical environment (semantics §5.9): false if anything is false, else null if nothing is known, else
 * true.
 * @param members states of its members
 * @param own verdict of the policies that are attached to the group itself; null when there are none
 */
export function logicalState(members: readonly (boolean | null)[], own: boolean | null = null): boolean | null {
  const known = [...members, own].filter((state) => state !== null);
  return known.length === 0 ? null : !known.includes(false);
}
