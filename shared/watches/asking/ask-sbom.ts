import type { OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Sbom } from '#shared/components/records/sboms.ts';
import type { Component } from '#shared/components/rules/component.ts';
import { readWatches } from '../records/watches.ts';
import { holdersAmong } from './held-by.ts';
import { recordMatches } from './record-matches.ts';

/**
 * Asks all watches of an organization about an SBOM that is in the index (rules/watches.md#asked-of-each-sbom). Costs one Query, and no more if
 * no watch asks for any of its components.
 */
export async function askSbom(
  stores: Pick<Stores, 'table' | 'clock'>,
  org: OrganizationId,
  build: Sbom,
  components: readonly Component[],
): Promise<void> {
  const watches = await readWatches(stores.table, org);
  if (watches.length === 0) return;
  const holders = holdersAmong(watches)(components);
  await recordMatches(
    stores,
    org,
    holders.map((watch) => ({ watch, build })),
  );
}
