import type { OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { readEachSet } from '#shared/components/read-listed-components.ts';
import { readSbomsOf } from '#shared/components/records/sboms.ts';
import type { StartedArtifacts } from '#shared/environments/effects-context.ts';
import { readMatches } from '../records/matches.ts';
import { readWatches } from '../records/watches.ts';
import { matchId } from '../rules/match.ts';
import { holdersAmong } from './held-by.ts';
import { recordMatches } from './record-matches.ts';

/**
 * Asks the watches of an organization about artifacts that started in an environment (rules/watches.md#asked-of-each-start). Where they run is
 * recorded before. Costs one Query, and one call more if every watch has matched in the environment. Otherwise the SBOMs of the trails that
 * vouch for the artifacts are read.
 */
export async function askStarts(
  stores: Pick<Stores, 'table' | 'objects' | 'clock'>,
  org: OrganizationId,
  { environment, rows }: StartedArtifacts,
): Promise<void> {
  const { table } = stores;
  const all = await readWatches(table, org);
  if (all.length === 0) return;
  const known = await readMatches(
    table,
    org,
    all.map(({ id }) => matchId(id, environment)),
  );
  const watches = all.filter(({ id }) => !known.some(({ watch }) => watch.id === id));
  if (watches.length === 0) return;
  const trails = new Map(
    rows.flatMap(({ flows }) => flows.map(({ flow, trailName: trail }) => [`${flow}/${trail}`, { flow, trail }])),
  );
  const sboms = (await readSbomsOf(table, org, [...trails.values()])).flat();
  const holdersOf = holdersAmong(watches);
  const sets = new Set(sboms.flatMap(({ set }) => set ?? []));
  // A set that was erased has no holders.
  const holders = await readEachSet(stores, org, sets, (components) => holdersOf(components ?? []));
  await recordMatches(
    stores,
    org,
    sboms.flatMap((build) => (holders.get(build.set ?? '') ?? []).map((watch) => ({ watch, build }))),
  );
}
