import * as z from 'zod';
import { again } from '#shared/base/retry.ts';
import { type Duration, type Micros, StoredMicros } from '#shared/base/time.ts';
import { cutText } from '#shared/base/well-formed.ts';
import type { RefreshedRoot } from '#shared/signatures/public-root.ts';
import { absent, change, onlyIf, type Term, unchanged } from '#shared/table/expressions.ts';
import { keyText, readRecord, type Table } from '#shared/table/table.ts';
import { StoredRoot } from '../rules/records.ts';
import { keptRootKey, publicRootKey, publicRootMetadataKey, publicRootStateKey } from './keys.ts';

/**
 * The public root of a region: the one that verifies, every one that did, and what the next refresh needs
 * (rules/verified-evidence.md#refresh).
 */

/** A root that verifies or did. */
const KeptRoot = StoredRoot.extend({
  /** When it was stored. */
  at: StoredMicros,
  /** `package`: a release brought it; `refresh`: its repository. */
  from: z.enum(['package', 'refresh']),
});
export type KeptRoot = z.infer<typeof KeptRoot>;

const State = z.object({
  /** When a refresh was tried first. */
  since: StoredMicros,
  triedAt: StoredMicros,
  /** When a refresh succeeded last; null if none ever did. */
  succeededAt: StoredMicros.nullable(),
  /** Why the last refresh failed; null if it did not. */
  fault: z.string().nullable(),
});
type State = z.infer<typeof State>;

const Metadata = z.object({ files: z.record(z.string(), z.string()) });

const LONGEST_FAULT = 1024;

/** Everything that a refresh continues. */
interface ReadRefresh {
  state: State | undefined;
  current: RefreshedRoot | undefined;
  metadata: Record<string, string>;
}

/** Reads what a refresh continues, with one call. */
export async function readRefresh(table: Table): Promise<ReadRefresh> {
  const keys = [publicRootStateKey(), publicRootKey(), publicRootMetadataKey()];
  const items = await table.getMany(keys);
  const [state, current, metadata] = keys.map((key) => items.get(keyText(key)));
  return {
    state: state && State.parse(state),
    current: current && StoredRoot.parse(current),
    metadata: metadata ? Metadata.parse(metadata).files : {},
  };
}

/** @returns how long ago a refresh succeeded, or was tried first if none did; null if none was tried */
export async function readRefreshAge(table: Table, now: Micros): Promise<Duration | null> {
  const state = await readRecord(table, publicRootStateKey(), State);
  return state ? now - (state.succeededAt ?? state.since) : null;
}

/** Reads a public root that verifies or did. @returns undefined if there is none with this digest */
export const readKeptRoot = (table: Table, digest: string): Promise<KeptRoot | undefined> =>
  readRecord(table, keptRootKey(digest), KeptRoot);

/** The state is as it was read. */
const asRead = (state: State | undefined): Term => (state ? unchanged(state, 'triedAt') : absent());

/** Stores why a refresh failed. @returns false if another call stored its outcome since the state was read */
export const storeFailure = (
  table: Table,
  before: State | undefined,
  { at, fault }: { at: Micros; fault: string },
): Promise<boolean> =>
  table.update(
    publicRootStateKey(),
    change(
      { set: { v: 1, triedAt: at, fault: cutText(fault, LONGEST_FAULT) }, setOnce: { since: at, succeededAt: null } },
      asRead(before),
    ),
  );

/**
 * Stores a root that was confirmed or replaced, as one transaction. Roots that verified once are kept under their digest: that of the
 * refresh, and the one of the release, which verifies where no refresh succeeded.
 *
 * @returns false if another call stored its outcome since the state was read
 */
export async function storeRefreshed(
  table: Table,
  { state, current }: ReadRefresh,
  { root, shipped, metadata }: { root: RefreshedRoot; shipped: RefreshedRoot; metadata: Record<string, string> },
  at: Micros,
): Promise<boolean> {
  const kept = new Map([
    [shipped.digest, { text: shipped.text, from: 'package' }],
    ...(root.digest === shipped.digest ? [] : ([[root.digest, { text: root.text, from: 'refresh' }]] as const)),
  ]);
  const next: State = { since: state?.since ?? at, triedAt: at, succeededAt: at, fault: null };
  const result = await table.transact<'again'>([
    { put: { ...publicRootStateKey(), v: 1, ...next }, ...onlyIf(asRead(state)), refused: again },
    { put: { ...publicRootMetadataKey(), v: 1, files: metadata } },
    ...(root.digest === current?.digest ? [] : [{ put: { ...publicRootKey(), v: 1, ...root } }]),
    ...[...kept].map(([digest, one]) => ({
      update: keptRootKey(digest),
      ...change({ set: { v: 1, digest }, setOnce: { ...one, at } }),
    })),
  ]);
  return result !== 'again';
}
