import { type EnvironmentId, type Id, storedId } from '#shared/base/ids.ts';

/** The member snapshots that a group snapshot refers to: member's id → number (rules/environments.md#group-snapshots). */
export type MemberIndexes = Readonly<Record<Id, number>>;

export const placesOf = (members: MemberIndexes): { environment: EnvironmentId; index: number }[] =>
  Object.entries(members).map(([environment, index]) => ({ environment: storedId(environment), index }));

/**
 * The member snapshots after a member got a new one.
 * @returns null if the group knows this snapshot or a newer one already, so that nothing has to be appended
 */
export function withMemberSnapshot(known: MemberIndexes, member: EnvironmentId, index: number): MemberIndexes | null {
  return index > (known[member] ?? 0) ? { ...known, [member]: index } : null;
}

/** Everything that runs in the members, each row with the id of its member (rules/environments.md#group-rows). */
export const unionOfMembers = <R extends object>(
  members: readonly { id: EnvironmentId; rows: readonly R[] }[],
): (R & { environment: EnvironmentId })[] =>
  members.flatMap(({ id, rows }) => rows.map((row) => ({ ...row, environment: id })));

/**
 * The state of a logical environment (rules/environments.md#group-state): false if anything is false, else null if
 * nothing is known, else true.
 * @param members states of its members
 * @param own verdict of the group's own policies; null if it has none
 */
export function logicalState(members: readonly (boolean | null)[], own: boolean | null = null): boolean | null {
  const known = [...members, own].filter((state) => state !== null);
  return known.length === 0 ? null : !known.includes(false);
}
