import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { latestOf } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { type BuildArtifact, countBuilds } from '#shared/components/builds/build-artifacts.ts';
import type { Sbom } from '#shared/components/records/sboms.ts';
import { type Runs, readRuns } from '#shared/environments/records/running.ts';
import { auditWrite, SERVICE } from '#shared/organizations/records/audit.ts';
import type { Table } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { matchWrites, readMatches } from '../records/matches.ts';
import { environmentMatch, firstMatch, type Match } from '../rules/match.ts';
import type { Watch } from '../rules/watch.ts';

/** What recording matches writes. */
export const RECORD_MATCHES: Uses = { writes: ['WATCH', 'AUDIT'], checks: ['WATCH'] };

/** Matches that are stored at the same time. */
const WIDTH = 4;

/** A watch, and an SBOM with a version that the watch asks for. */
interface HeldByBuild {
  watch: Watch;
  build: Sbom;
}

/**
 * Records what watches matched that they had not matched before (rules/watches.md#matches): their first SBOM, and each environment in which an
 * artifact runs for which the SBOM counts. Costs a fixed number of calls for 50 trails, 50 artifacts and 100 matches, however often a watch
 * has matched.
 */
export async function recordMatches(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: OrganizationId,
  held: readonly HeldByBuild[],
): Promise<void> {
  if (held.length === 0) return;
  const builds = [...new Map(held.map(({ build }) => [build.id, build])).values()];
  const now = clock.now();
  // Clocks differ: an SBOM that was just reported can be later than now.
  const { artifacts } = await countBuilds(table, org, builds, latestOf(now, ...builds.map(({ at }) => at)));
  const fingerprints = [...artifacts.values()].flat().map(({ fingerprint }) => fingerprint);
  const runs = await readRuns(table, org, fingerprints);
  const matches = held.flatMap(({ watch, build }): Match[] => {
    const about = artifacts.get(build.id);
    if (!about) return [];
    const { id: attestation, flow, trail, at } = build;
    const matched = { watch, build: { attestation, flow, trail, at }, at: now };
    return [
      firstMatch(matched),
      ...runningOf(about, runs).map(([artifact, environment]) => environmentMatch(matched, artifact, environment)),
    ];
  });
  await storeMissing(table, org, earliestOfEach(matches));
}

type Place = NonNullable<Match['environment']>;

/** Where artifacts run now, and since which snapshot. */
function runningOf(
  about: readonly BuildArtifact[],
  { byFingerprint }: Runs,
): [NonNullable<Match['artifact']>, Place][] {
  return about.flatMap(({ fingerprint, name }) =>
    (byFingerprint.get(fingerprint) ?? [])
      .filter(({ running }) => running)
      .map(({ environment, index, at }): [NonNullable<Match['artifact']>, Place] => [
        { fingerprint, name },
        { id: environment, snapshot: index, since: at },
      ]),
  );
}

/** A watch has one match of a target: that of the earliest start, and then of the earliest SBOM. */
function earliestOfEach(matches: readonly Match[]): Match[] {
  const sorted = matches.toSorted(
    (a, b) => (a.environment?.since ?? 0) - (b.environment?.since ?? 0) || a.build.at - b.build.at,
  );
  return [...new Map(sorted.toReversed().map((match) => [match.id, match])).values()];
}

async function storeMissing(table: Table, org: OrganizationId, matches: readonly Match[]): Promise<void> {
  const ids = matches.map(({ id }) => id);
  const known = new Set((await readMatches(table, org, ids)).map(({ id }) => id));
  await inParallel(
    matches.filter(({ id }) => !known.has(id)),
    WIDTH,
    (match) => storeMatch(table, org, match),
  );
}

/** Stores a match with its audit entry. A match that is known, or whose watch was deleted meanwhile, is left as it is. */
async function storeMatch(table: Table, org: OrganizationId, match: Match): Promise<void> {
  const { id, kind, watch, build, artifact, environment } = match;
  const { writes, covers } = matchWrites(org, match);
  const entry = {
    kind: 'watch.matched',
    subject: { type: 'watch', id: watch.id, name: watch.name },
    after: {
      match: id,
      kind,
      attestation: build.attestation,
      ...(artifact && { fingerprint: artifact.fingerprint }),
      ...(environment && { environment: environment.id, snapshot: environment.snapshot }),
    },
    covers,
  } as const;
  await table.transact<'known' | 'gone'>([...writes, auditWrite(org, { at: match.at, actor: SERVICE }, entry)]);
}
