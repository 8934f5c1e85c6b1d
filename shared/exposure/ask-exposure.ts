import type { EnvironmentId, FlowId, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { type BuildArtifact, countBuilds } from '#shared/components/builds/build-artifacts.ts';
import { findHolders, type Held } from '#shared/components/builds/find-holders.ts';
import type { ExposurePlace, UnknownPlace } from '#shared/components/builds/places.ts';
import type { Build } from '#shared/components/records/sets.ts';
import type { AskedStatements } from '#shared/components/records/vex.ts';
import type { PackageQuestion } from '#shared/components/rules/question.ts';
import { type Said, saidOfRow } from '#shared/components/rules/said.ts';
import { readEnvironmentTags } from '#shared/environments/records/environment-details.ts';
import { type RunsInEnvironment, readRunsOf } from '#shared/environments/records/running-past.ts';
import { readFlowNames } from '#shared/evidence/records/flows.ts';
import { recallsOf } from '#shared/evidence/rules/recalled.ts';
import type { RecallName } from '#shared/evidence/rules/trail-state.ts';
import { readRecallsAt } from '#shared/signers/read-recalls-at.ts';
import { findUnknown, type UnknownArtifact } from './find-unknown.ts';
import { readStatements } from './read-statements.ts';

/** The question «where does it run?»: from a component to builds, artifacts and environments (rules/components.md#exposure). */

/** An artifact that holds an asked version, by one SBOM of it. */
export interface HeldArtifact {
  build: Build;
  /** Present name of the flow. */
  flowName: string;
  held: Held[];
  artifact: BuildArtifact;
  runs: RunsInEnvironment[];
  /** Statements about these components that count, those that contradict first, then the newest first. */
  statements: Said[];
}

interface RecalledBuild {
  build: Build;
  flowName: string;
  held: Held[];
  recalls: RecallName[];
}

export interface ExposurePage {
  affected: HeldArtifact[];
  /** All their components are said not to be affected, or fixed. */
  notAffected: HeldArtifact[];
  /** Nobody can say whether the artifact holds an asked version. */
  undecided: HeldArtifact[];
  /** SBOMs that do not count, because recalls match their signatures. */
  recalled: RecalledBuild[];
  notKnown: UnknownArtifact[];
  /** Present names of the flows of statements, by id. */
  flowNames: ReadonlyMap<FlowId, string>;
  /** Tags of the environments that the page names, by id. */
  tags: ReadonlyMap<EnvironmentId, Record<string, string>>;
  next: ExposurePlace | null;
}

interface Page {
  place: ExposurePlace | undefined;
  /** Most builds, or most artifacts that run without a readable SBOM. */
  limit: number;
  /** Only statements about it count. Without one, those about whatever vulnerability of the asked package do. */
  vulnerability?: string | null | undefined;
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
  { place, limit, vulnerability = null }: Page,
): Promise<ExposurePage> {
  if (place !== undefined && 'row' in place) return unknownPage(stores, org, asOf, { place, limit });
  const { holders, next } = await findHolders(stores.table, org, question, { place, limit });
  const page = await holderPage(stores, org, holders, { asOf, package: question.package, vulnerability });
  // The first page of those that run without a readable SBOM follows the last page of builds.
  return { ...page, notKnown: [], next: next ?? { environment: null, row: 0 } };
}

async function holderPage(
  { table }: Pick<Stores, 'table'>,
  org: OrganizationId,
  holders: readonly { build: Build; held: Held[] }[],
  asked: AskedStatements & { asOf: Micros },
): Promise<Omit<ExposurePage, 'notKnown' | 'next'>> {
  const { asOf, vulnerability } = asked;
  const builds = holders.map(({ build }) => build);
  const { artifacts, recalls } = await countBuilds(table, org, builds, asOf);
  const pairs = holders.flatMap(({ build, held }) =>
    (artifacts.get(build.id) ?? []).map((artifact) => ({ build, held, artifact })),
  );
  const fingerprints = new Set(pairs.map(({ artifact }) => artifact.fingerprint));
  const [runs, saidOf] = await Promise.all([
    readRunsOf(table, org, fingerprints, asOf),
    readStatements(table, org, pairs, { ...asked, recalls }),
  ]);
  const rows = pairs.map((pair) => {
    const { isCleared, statements } = saidOfRow(saidOf(pair), pair.held, vulnerability);
    return { ...pair, isCleared, statements, runs: runs.get(pair.artifact.fingerprint) ?? [] };
  });
  const environments = [...runs.values()].flat().map(({ environment }) => environment.id);
  const flows = new Set([...builds, ...rows.flatMap(({ statements }) => statements)].map(({ flow }) => flow));
  const [flowNames, tags] = await Promise.all([
    readFlowNames(table, org, [...flows]),
    readEnvironmentTags(table, org, environments),
  ]);
  const flowName = ({ flow }: Build) => flowNames.get(flow) ?? '';
  const listOf = (list: Verdict) =>
    rows
      .filter((row) => verdictOf(row) === list)
      .map((row): HeldArtifact => ({ ...row, flowName: flowName(row.build) }));
  const recalled = holders.flatMap(({ build, held }): RecalledBuild[] => {
    const named = build.at <= asOf ? recallsOf(build, recalls) : [];
    return named.length === 0 ? [] : [{ build, flowName: flowName(build), held, recalls: named }];
  });
  return {
    affected: listOf('affected'),
    notAffected: listOf('not affected'),
    undecided: listOf('undecided'),
    recalled,
    flowNames,
    tags,
  };
}

type Verdict = 'affected' | 'not affected' | 'undecided';

/** An artifact with one version that is meant is affected, whatever is not known of others, unless all of them are said not to be. */
function verdictOf({ held, isCleared }: { held: readonly Held[]; isCleared: boolean }): Verdict {
  if (isCleared) return 'not affected';
  return held.some(({ unknown }) => unknown === null) ? 'affected' : 'undecided';
}

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
  const none = { affected: [], notAffected: [], undecided: [], recalled: [], flowNames: new Map() };
  return { ...none, notKnown: unknown, tags, next };
}
