import type { EnvironmentId, Fingerprint, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { type BuildArtifact, countBuilds } from '#shared/components/builds/build-artifacts.ts';
import { findHolders, type Held } from '#shared/components/builds/find-holders.ts';
import type { ExposurePlace, UnknownPlace } from '#shared/components/builds/places.ts';
import type { Build } from '#shared/components/records/sets.ts';
import type { PackageQuestion } from '#shared/components/rules/question.ts';
import { readEnvironmentTags } from '#shared/environments/records/environment-details.ts';
import { type RunsInEnvironment, readRunsOf } from '#shared/environments/records/running-past.ts';
import { readFlowNames } from '#shared/evidence/records/flows.ts';
import { recallsOf } from '#shared/evidence/rules/recalled.ts';
import type { RecallName } from '#shared/evidence/rules/trail-state.ts';
import { readRecallsAt } from '#shared/signers/read-recalls-at.ts';
import { findUnknown, type UnknownArtifact } from './find-unknown.ts';

/** The question «where does it run?»: from a component to builds, artifacts and environments (rules/components.md#exposure). */

/** An artifact that holds an asked version, by one SBOM of it. */
export interface HeldArtifact {
  build: Build;
  /** Present name of the flow. */
  flowName: string;
  held: Held[];
  artifact: BuildArtifact;
  runs: RunsInEnvironment[];
}

interface RecalledBuild {
  build: Build;
  flowName: string;
  held: Held[];
  recalls: RecallName[];
}

export interface ExposurePage {
  affected: HeldArtifact[];
  /** Nobody can say whether the artifact holds an asked version. */
  undecided: HeldArtifact[];
  /** SBOMs that do not count, because recalls match their signatures. */
  recalled: RecalledBuild[];
  notKnown: UnknownArtifact[];
  /** Tags of the environments that the page names, by id. */
  tags: ReadonlyMap<EnvironmentId, Record<string, string>>;
  next: ExposurePlace | null;
}

interface Page {
  place: ExposurePlace | undefined;
  /** Most builds, or most artifacts that run without a readable SBOM. */
  limit: number;
}

/**
 * Answers one page of a question, as it was known at an instant (rules/components.md#exposure). The page can be short or empty and still
 * have a next one. Its calls are bounded by `limit`, not by how many builds or environments there are.
 */
export async function askExposure(
  stores: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  question: PackageQuestion,
  asOf: Micros,
  { place, limit }: Page,
): Promise<ExposurePage> {
  if (place !== undefined && 'row' in place) return unknownPage(stores, org, asOf, { place, limit });
  const { holders, next } = await findHolders(stores.table, org, question, { place, limit });
  const page = await holderPage(stores, org, holders, asOf);
  // The first page of those that run without a readable SBOM follows the last page of builds.
  return { ...page, notKnown: [], next: next ?? { environment: null, row: 0 } };
}

async function holderPage(
  { table }: Pick<Stores, 'table'>,
  org: OrganizationId,
  holders: readonly { build: Build; held: Held[] }[],
  asOf: Micros,
): Promise<Omit<ExposurePage, 'notKnown' | 'next'>> {
  const builds = holders.map(({ build }) => build);
  const { artifacts, recalls } = await countBuilds(table, org, builds, asOf);
  const artifactsOf = ({ id }: Build) => artifacts.get(id) ?? [];
  const fingerprints = new Set<Fingerprint>(builds.flatMap(artifactsOf).map(({ fingerprint }) => fingerprint));
  const [runs, flowNames] = await Promise.all([
    readRunsOf(table, org, fingerprints, asOf),
    readFlowNames(table, org, [...new Set(builds.map(({ flow }) => flow))]),
  ]);
  const flowName = ({ flow }: Build) => flowNames.get(flow) ?? '';
  const rows = holders.flatMap(({ build, held }) =>
    artifactsOf(build).map((artifact): HeldArtifact => {
      const found = runs.get(artifact.fingerprint) ?? [];
      return { build, flowName: flowName(build), held, artifact, runs: found };
    }),
  );
  const recalled = holders.flatMap(({ build, held }): RecalledBuild[] => {
    const named = build.at <= asOf ? recallsOf(build, recalls) : [];
    return named.length === 0 ? [] : [{ build, flowName: flowName(build), held, recalls: named }];
  });
  const environments = [...runs.values()].flat().map(({ environment }) => environment.id);
  return {
    affected: rows.filter(isAffected),
    undecided: rows.filter((row) => !isAffected(row)),
    recalled,
    tags: await readEnvironmentTags(table, org, environments),
  };
}

/** An artifact with one version that is meant is affected, whatever is not known of others. */
const isAffected = ({ held }: HeldArtifact): boolean => held.some(({ unknown }) => unknown === null);

async function unknownPage(
  stores: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  asOf: Micros,
  page: { place: UnknownPlace; limit: number },
): Promise<ExposurePage> {
  const { table } = stores;
  const recalls = await readRecallsAt(table, org, asOf);
  const { unknown, next } = await findUnknown(stores, org, { asOf, recalls }, page);
  const environments = unknown.map(({ environment }) => environment.id);
  const tags = await readEnvironmentTags(table, org, environments);
  return { affected: [], undecided: [], recalled: [], notKnown: unknown, tags, next };
}
