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
  const stored = await readSets(table, org, [...new Set(sets.values())]);
  const lists = await inParallel(
    stored,
    SETS_AT_ONCE,
    async ([set, record]) => [set, await readComponentsOf({ objects }, org, record)] as const,
  );
  const bySet = new Map(lists);
  return new Map(
    [...sets].flatMap(([id, set]) => {
      const components = bySet.get(set);
      return components ? [[id, components] as const] : [];
    }),
  );
}
