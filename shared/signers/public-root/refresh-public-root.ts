import type { Duration, Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { AddressGuard } from '#shared/outgoing/address-guard.ts';
import type { Uses } from '#shared/table/uses.ts';
import { readRefresh, storeFailure, storeRefreshed } from '../records/public-root.ts';
import { guardedFetch } from './guarded-fetch.ts';

/** What a refresh writes. */
export const REFRESH_PUBLIC_ROOT: Uses = { writes: ['@PUBLICROOT'] };

/** A root that was confirmed is asked for again after this time: a day, and less than the schedule needs for its next call. */
const CONFIRMED_FOR: Duration = 23.5 * 3600 * 1_000_000;

export interface RefreshServices extends Pick<Stores, 'table' | 'clock'> {
  guard: AddressGuard;
  /** Where public roots come from. */
  publicRoot: {
    /** Address of the repository of The Update Framework, without a slash at its end. */
    repository: string;
    /** Metadata that are trusted at first. @default those of the public repository, which come with the package */
    firstMetadata?: string;
  };
}

/** What a call did: nothing, because the root was confirmed today; or a read of the repository. */
type Refreshed =
  | { outcome: 'fresh' }
  | { outcome: 'confirmed' | 'replaced'; digest: string }
  /** The root before is kept. `since`: when a refresh succeeded last, or was tried first. */
  | { outcome: 'failed'; fault: string; since: Micros }
  /** Another call stored its own outcome meanwhile. */
  | { outcome: 'overtaken' };

/**
 * Confirms the public root, or replaces it by a later one, once a day (rules/verified-evidence.md#refresh). A refresh that fails keeps the
 * root, and the next call tries again. No request waits for it.
 */
export async function refreshPublicRoot(services: RefreshServices): Promise<Refreshed> {
  const { table, clock, guard, publicRoot } = services;
  const read = await readRefresh(table);
  const { state, current, metadata } = read;
  const now = clock.now();
  if (state?.succeededAt != null && now - state.succeededAt < CONFIRMED_FOR) return { outcome: 'fresh' };
  // Loaded here, so that the function does not read the client of the framework when it starts.
  const { updatePublicRoot } = await import('./update-public-root.ts');
  const updated = await updatePublicRoot({ ...publicRoot, metadata, before: current, fetchFile: guardedFetch(guard) });
  if ('refused' in updated) {
    const since = state?.succeededAt ?? state?.since ?? now;
    const stored = await storeFailure(table, state, { at: now, fault: updated.refused });
    return stored ? { outcome: 'failed', fault: updated.refused, since } : { outcome: 'overtaken' };
  }
  const { digest } = updated.root;
  if (!(await storeRefreshed(table, read, updated, clock.now()))) return { outcome: 'overtaken' };
  return { outcome: digest === current?.digest ? 'confirmed' : 'replaced', digest };
}
