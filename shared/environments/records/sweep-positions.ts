import { type EnvironmentId, type OrganizationId, storedId } from '#shared/base/ids.ts';
import { positionKey } from '#shared/sweeps/keys.ts';
import { movePosition, readPositions, replacePosition } from '#shared/sweeps/positions.ts';
import { sequence } from '#shared/table/keys.ts';
import type { Table, Write } from '#shared/table/table.ts';

/** The positions of sweeps over the snapshots of environments. A position is the number of a snapshot. */

/** Names of the positions of environments that are replayed begin with this. One exists until its replay is complete. */
const REPLAYED = 'environment:';
/** Names of the positions of the newest lost snapshots that were logged begin with this. */
const LOST = 'lost:';
/** Names of archived environments begin with this. The item exists until all their snapshots are expanded. */
const ARCHIVED = 'archived:';

/**
 * Starts a replay of an environment's events, from the snapshots after `index` on.
 * @param index number of a snapshot; 0 = all snapshots are replayed
 * @returns false if a replay from this snapshot or an earlier one is under way; then nothing is written
 */
export const rewindEnvironment = (
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  index: number,
): Promise<boolean> => movePosition(table, org, REPLAYED + environment, '>', sequence(index));

/**
 * Records that the snapshots of an environment up to a number were logged as lost.
 * @returns false if they were before: the sweep sends their message again, but the alarm is raised once
 */
export const recordLost = (
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  upTo: number,
): Promise<boolean> => movePosition(table, org, LOST + environment, '<', sequence(upTo));

export interface ReplayedEnvironment {
  environment: EnvironmentId;
  /** Number of the snapshot up to which the replay has come, inclusive. */
  upTo: number;
}

/** Reads the environments of an organization whose replay is not complete. */
export async function readReplayedEnvironments(table: Table, org: OrganizationId): Promise<ReplayedEnvironment[]> {
  const positions = await readPositions(table, org, REPLAYED);
  return [...positions].map(([environment, upTo]) => ({ environment: storedId(environment), upTo: Number(upTo) }));
}

/**
 * Stores how far the replay of an environment has come.
 * @param upTo number of the snapshot up to which, inclusive, the events were replayed; null = the replay is complete
 * @returns false if an operator has moved the replay back since it was read; then nothing is written
 */
export const saveReplayedPosition = (
  table: Table,
  org: OrganizationId,
  { environment, upTo: from }: ReplayedEnvironment,
  upTo: number | null,
): Promise<boolean> =>
  replacePosition(table, org, REPLAYED + environment, sequence(from), upTo === null ? null : sequence(upTo));

/**
 * The write that makes the sweep expand the remaining snapshots of an archived environment. The catalogue, where the
 * sweep finds the other environments, does not list archived ones.
 */
export const archivedEnvironmentWrite = (org: OrganizationId, environment: EnvironmentId): Write => ({
  put: { ...positionKey(org, ARCHIVED + environment), v: 1 },
});

/** Reads the archived environments that still have snapshots to expand. */
export async function readArchivedEnvironments(table: Table, org: OrganizationId): Promise<EnvironmentId[]> {
  const { pk } = positionKey(org, ARCHIVED);
  return (await table.query({ pk, prefix: ARCHIVED })).map(({ sk }) => storedId(sk.slice(ARCHIVED.length)));
}

/** Removes an archived environment from the list, after its last snapshot was expanded. */
export async function removeArchivedEnvironment(table: Table, org: OrganizationId, environment: EnvironmentId) {
  await table.write({ remove: positionKey(org, ARCHIVED + environment) });
}
