import { earliestOf, type Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readStored } from '#shared/notifications/deliver.ts';
import { readActionNames } from '#shared/notifications/records/actions.ts';
import { Delivery } from '#shared/notifications/rules/records.ts';
import { matchDeliveries, readMatchNames } from '../deliver-matches.ts';
import { getWatch, type ListedWatch } from '../read-watches.ts';
import { readMatchItemsOf } from '../records/matches.ts';
import { questionOf } from '../rules/asked-question.ts';
import {
  type AffectedEnvironment,
  affectedEnvironments,
  type KnownSince,
  knownSince,
  stoppedAt,
} from '../rules/case.ts';
import { Match } from '../rules/match.ts';
import { eventOf } from '../rules/match-notices.ts';
import { readAffected } from './affected.ts';
import { type FixedBuild, findFixed } from './find-fixed.ts';

/** A match with present names. */
export interface NamedMatch {
  match: Match;
  flow: string;
  /** Null for the first match. */
  environment: string | null;
}

/** A message about a match. */
export interface Told {
  match: NamedMatch;
  delivery: Delivery;
  /** Present name of the action; null if it was deleted. */
  action: string | null;
}

/** Everything about a watch (rules/watches.md#case). */
export interface Case {
  found: ListedWatch;
  asOf: Micros;
  since: KnownSince | null;
  matches: NamedMatch[];
  told: Told[];
  environments: AffectedEnvironment[];
  /** When the last affected artifact stopped; null while one runs, and if none ever ran. */
  stopped: Micros | null;
  /** The SBOMs that hold an asked version and count. */
  affected: { builds: number; first: Micros | null };
  /** Ids of attestations whose artifacts are all said not to be affected. */
  cleared: ReadonlySet<string>;
  fixed: (FixedBuild & { flow: string })[];
  /** False if the watch has more builds than a case reads. Then no fixed builds are looked for. */
  isComplete: boolean;
}

/**
 * Reads the case of a watch. Costs the pages of its question, up to 1,000 builds, and a fixed number of calls for its matches.
 *
 * @throws ServiceError `not-found` if no watch has the name
 */
export async function readCase(
  stores: Pick<Stores, 'table' | 'objects' | 'clock'>,
  org: Organization,
  name: string,
): Promise<Case> {
  const { table, clock } = stores;
  const found = await getWatch(stores, org, name);
  const asOf = clock.now();
  const [{ matches, told }, all] = await Promise.all([
    readMatches(stores, org, found),
    readAffected(stores, org.id, questionOf(found.watch), { asOf, vulnerability: found.watch.vulnerability }),
  ]);
  const fixed = all.isComplete ? await findFixed(table, org.id, all, asOf) : [];
  // A fixed build is in a flow of an affected one.
  const flows = new Map(all.rows.map(({ build, flowName }) => [build.flow, flowName]));
  const environments = affectedEnvironments(
    all.rows.flatMap(({ artifact: { fingerprint }, runs: places }) =>
      places.map(({ environment, runs }) => ({ environment, fingerprint, runs })),
    ),
  );
  const builds = new Map(all.rows.map(({ build }) => [build.id, build.at]));
  return {
    found,
    asOf,
    since: knownSince(found.watch, found.matchedAt),
    matches,
    told,
    environments,
    stopped: stoppedAt(environments),
    affected: { builds: builds.size, first: builds.size === 0 ? null : earliestOf(...builds.values()) },
    cleared: all.cleared,
    fixed: fixed.map((one) => ({ ...one, flow: flows.get(one.build.flow) ?? '' })),
    isComplete: all.isComplete,
  };
}

/** Reads what a watch matched, the oldest first, and who was told. */
async function readMatches(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  { id: org }: Organization,
  { watch }: ListedWatch,
): Promise<Pick<Case, 'matches' | 'told'>> {
  const stored = (await readMatchItemsOf(table, org, watch)).map((item) => Match.parse(item));
  // The first match comes before that of an environment, also if one SBOM made both.
  const sorted = stored.toSorted((a, b) => a.at - b.at || Number(a.kind !== 'first') - Number(b.kind !== 'first'));
  const [namesOf, due] = await Promise.all([
    readMatchNames(table, org, sorted),
    matchDeliveries({ table, clock }, org, sorted),
  ]);
  const items = await readStored(table, org, due);
  const deliveries = [...items.values()].flatMap((item) => Delivery.safeParse(item).data ?? []);
  const names = await readActionNames(table, org, [...new Set(deliveries.map(({ action }) => action))]);
  const matches = sorted.map((match): NamedMatch => {
    const { flow, environment } = namesOf(match);
    return { match, flow, environment };
  });
  const byEvent = new Map(matches.map((one) => [eventOf(one.match), one]));
  const told = deliveries.flatMap((delivery): Told[] => {
    const match = byEvent.get(delivery.notice.event);
    return match ? [{ match, delivery, action: names.get(delivery.action) ?? null }] : [];
  });
  return { matches, told };
}
