import { commitment } from '#shared/base/digests.ts';
import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import { type ChainHeader, entryHash, linkEntry, linkHash } from '#shared/base/proofs/hash-chain.ts';
import { RecordDiffers } from '#shared/base/proofs/record-differs.ts';
import { randomBytes } from '#shared/base/random.ts';
import type { Micros } from '#shared/base/time.ts';
import { type Summary, summaryText } from '../rules/summary.ts';
import type { SnapshotItem } from './environment-records.ts';

/** Test vectors: test/shared/environments/chain.vectors.json. */
const DOMAIN = 'delivery-evidence/environment';
const KIND = 'snapshot';

type Snapshot = SnapshotItem & { index: number };

interface Place {
  org: OrganizationId;
  environment: EnvironmentId;
  number: number;
  at: Micros;
}

/**
 * Makes the item of a snapshot, with its link of the environment's chain (rules/environments.md#hash-chain).
 * @param pledge the commitment to the content
 * @param previous hash of the snapshot before; `FIRST_PREVIOUS` for the first
 */
export function sealLink(
  place: Place,
  summary: Summary,
  pledge: Uint8Array,
  previous: Uint8Array,
  random: (size: number) => Uint8Array = randomBytes,
): Omit<SnapshotItem, 'sk'> {
  const salt = random(32);
  const pledges = { content: pledge, summary: commitment(salt, summaryText(summary)) };
  const hash = linkHash(DOMAIN, previous, headerOf(place, pledges));
  return { at: place.at, ...summary, salt, pledges, previous, hash };
}

function headerOf(place: Place, pledges: Record<string, Uint8Array>): ChainHeader {
  const { org, environment, number, at } = place;
  const commitments = Object.fromEntries(
    Object.entries(pledges).map(([name, pledge]) => [name, Buffer.from(pledge).toString('hex')]),
  );
  return { org, subject: { environment }, number, kind: KIND, at, commitments };
}

/** Rebuilds the entry of a snapshot for the log: the bytes whose SHA-256 is the snapshot's hash (rules/log.md#entries). */
export const snapshotEntry = (
  org: OrganizationId,
  environment: EnvironmentId,
  { index: number, at, pledges, previous }: Snapshot,
): Buffer => linkEntry(DOMAIN, previous, headerOf({ org, environment, number, at }, pledges));

const same = (one: Uint8Array, other: Uint8Array | undefined): boolean =>
  other !== undefined && Buffer.compare(one, other) === 0;

/** Whether a snapshot is the one that its hash covers, with the summary that it commits to. */
const isSound = (org: OrganizationId, environment: EnvironmentId, snapshot: Snapshot): boolean =>
  same(commitment(snapshot.salt, summaryText(snapshot)), snapshot.pledges['summary']) &&
  same(entryHash(snapshotEntry(org, environment, snapshot)), snapshot.hash);

/**
 * Verifies a stored snapshot by what its item holds.
 * @throws RecordDiffers if the item is not the one that was stored
 */
export function requireSnapshot<S extends Snapshot>(org: OrganizationId, environment: EnvironmentId, snapshot: S): S {
  if (isSound(org, environment, snapshot)) return snapshot;
  const name = `snapshot ${snapshot.index} of environment ${environment}`;
  throw new RecordDiffers(name, 'its summary or its header was changed');
}
