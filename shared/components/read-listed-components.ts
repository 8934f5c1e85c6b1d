import type { AttestationId, OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { readComponentsOf, readSets } from './records/sets.ts';
import type { Component } from './rules/component.ts';

/** Sets that are read at the same time. Each can have 50,000 components. */
const SETS_AT_ONCE = 4;

/**
 * Reads the components of SBOMs: a call for 100 sets, and one for each set whose text lies in the bucket.
 *
 * @param sets digests of sets by id of the attestation
 * @returns by id, in canonical order; an SBOM that was erased since is left out
 */
export async function readListedComponents(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  sets: ReadonlyMap<AttestationId, string>,
): Promise<Map<AttestationId, readonly Component[]>> {
  const bySet = await readEachSet({ table, objects }, org, new Set(sets.values()), (components) => components);
  return new Map(
    [...sets].flatMap(([id, set]) => {
      const components = bySet.get(set);
      return components ? [[id, components] as const] : [];
    }),
  );
}

/**
 * Reads sets of components, a few at the same time, and keeps of each what `read` returns.
 *
 * @param read gets null for a set whose text was erased
 * @returns by digest; a set that is not stored any more is left out
 */
export async function readEachSet<T>(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  digests: ReadonlySet<string>,
  read: (components: readonly Component[] | null) => T,
): Promise<Map<string, T>> {
  const stored = await readSets(table, org, [...digests]);
  const found = await inParallel(
    stored,
    SETS_AT_ONCE,
    async ([set, record]) => [set, read(await readComponentsOf({ objects }, org, record))] as const,
  );
  return new Map(found);
}
