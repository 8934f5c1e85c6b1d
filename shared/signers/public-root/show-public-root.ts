import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { presentPublicRoot, publicRoot, publicRootText, type RefreshedRoot } from '#shared/signatures/public-root.ts';
import { readPublicRoot } from '../read-public-root.ts';
import { type KeptRoot, readKeptRoot } from '../records/public-root.ts';

/** A public root, and where it came from. */
export interface ShownRoot extends RefreshedRoot, Pick<KeptRoot, 'from'> {
  /** When the region stored it; null if it never did. */
  at: Micros | null;
}

/**
 * Reads a public root (rules/verified-evidence.md#refresh). Those that verified once are kept.
 *
 * @param digest SHA-256 of its text; undefined = the one that verifies now
 * @returns undefined if no root with this digest verified
 */
export async function showPublicRoot(
  stores: Pick<Stores, 'table' | 'clock'>,
  digest: string | undefined,
): Promise<ShownRoot | undefined> {
  const wanted = digest ?? presentPublicRoot(await readPublicRoot(stores)).digest;
  const kept = await readKeptRoot(stores.table, wanted);
  if (kept) return kept;
  // Only a refresh stores roots, and a region can be without.
  return wanted === publicRoot().digest
    ? { digest: wanted, text: publicRootText(), from: 'package', at: null }
    : undefined;
}
