import { commitment } from '#shared/base/digests.ts';
import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import { FIRST_PREVIOUS } from '#shared/base/proofs/hash-chain.ts';
import { RecordDiffers } from '#shared/base/proofs/record-differs.ts';
import type { StoredBody } from '#shared/bodies/bodies.ts';
import { requireSnapshot } from '#shared/environments/records/chain.ts';
import type { Snapshot } from '#shared/environments/records/snapshots.ts';

/**
 * Verifies the chain of an environment's snapshots, beginning with the first.
 * @returns the number of the first snapshot whose link is broken, or null if all links hold
 */
export function firstBrokenSnapshot(
  org: OrganizationId,
  environment: EnvironmentId,
  snapshots: readonly Snapshot[],
): number | null {
  let previous: Uint8Array = FIRST_PREVIOUS;
  for (const [i, snapshot] of snapshots.entries()) {
    const { index: number, hash } = snapshot;
    if (number !== i + 1 || Buffer.compare(previous, snapshot.previous) !== 0) return number;
    if (!isSound(org, environment, snapshot)) return number;
    previous = hash;
  }
  return null;
}

function isSound(org: OrganizationId, environment: EnvironmentId, snapshot: Snapshot): boolean {
  try {
    requireSnapshot(org, environment, snapshot);
    return true;
  } catch (error) {
    if (error instanceof RecordDiffers) return false;
    throw error;
  }
}

/** Whether a snapshot's `content` commitment covers this text. */
export const isContentOf = ({ pledges }: Snapshot, { salt }: StoredBody, text: string): boolean =>
  pledges['content'] !== undefined && Buffer.compare(commitment(salt, text), pledges['content']) === 0;
