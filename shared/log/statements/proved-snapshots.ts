import type { OrganizationId } from '#shared/base/ids.ts';
import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import { RecordGone } from '#shared/base/proofs/record-gone.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { snapshotEntry } from '#shared/environments/records/chain.ts';
import { snapshotContentKey, snapshotKey } from '#shared/environments/records/keys.ts';
import {
  type Snapshot,
  type SnapshotPlace,
  snapshotOf,
  storedSnapshot,
} from '#shared/environments/records/snapshots.ts';
import { keyText } from '#shared/table/table.ts';
import { requireOpenings } from '../receipts/check-openings.ts';
import { snapshotOpenings } from '../receipts/openings.ts';
import { claimKey, claimOf } from '../records/claims.ts';
import { recordDiffers } from '../rules/sentences.ts';

/**
 * Reads snapshots and requires that the log has exactly them, with their contents (rules/log.md#proved-records). One batch, and one
 * read for each content in the bucket.
 *
 * @returns in the order of `places`; null if the log does not have one of them yet
 * @throws RecordGone if a snapshot or its content is missing
 * @throws ServiceError `broken` if a snapshot or its content is not what the log has
 */
export async function proveSnapshots(
  services: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  places: readonly SnapshotPlace[],
): Promise<Snapshot[] | null> {
  const keys = places.map(({ environment, index }) => ({
    summary: snapshotKey(org, environment, index),
    content: snapshotContentKey(org, environment, index),
    claim: claimKey(org, { kind: 'environment', environment, number: index }),
  }));
  const items = await services.table.getMany(keys.flatMap((of) => [of.summary, of.content, of.claim]));
  const proved = await Promise.all(
    places.map(async ({ environment, index }, i) => {
      const of = keys[i];
      const [summary, content, claimed] = of
        ? [of.summary, of.content, of.claim].map((key) => items.get(keyText(key)))
        : [];
      if (!summary) throw new RecordGone(snapshotOf(environment, index));
      const claim = claimOf(claimed);
      if (!claim) return null;
      const snapshot = storedSnapshot(summary);
      const entry = snapshotEntry(org, environment, snapshot);
      const isLogged = [claim.hash, snapshot.hash].every((hash) => entryHash(entry).equals(hash));
      if (!isLogged) throw recordDiffers({ index: claim.index });
      const openings = await snapshotOpenings(services, org, environment, snapshot, content);
      requireOpenings(hexOf(snapshot.pledges), openings, claim.index);
      return snapshot;
    }),
  );
  return proved.every((snapshot) => snapshot !== null) ? proved : null;
}

const hexOf = (pledges: Readonly<Record<string, Uint8Array>>): Record<string, string> =>
  Object.fromEntries(Object.entries(pledges).map(([name, pledge]) => [name, Buffer.from(pledge).toString('hex')]));
