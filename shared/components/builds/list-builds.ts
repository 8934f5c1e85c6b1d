import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { readFlowNames } from '#shared/evidence/records/flows.ts';
import type { Build } from '../records/sets.ts';
import type { PackageQuestion } from '../rules/question.ts';
import { type BuildArtifact, countBuilds } from './build-artifacts.ts';
import { findHolders, type Held } from './find-holders.ts';
import type { HolderPlace } from './places.ts';

interface ListedBuild {
  build: Build;
  /** Present name of the flow. */
  flowName: string;
  held: Held[];
  /** The artifacts for which the SBOM counts. */
  artifacts: BuildArtifact[];
}

/**
 * Lists one page of the builds that hold an asked version, as it was known at an instant (rules/components.md#builds). Builds whose SBOM
 * does not count any more are left out, so a page can be short and still have a next one.
 */
export async function listBuilds(
  { table }: Pick<Stores, 'table'>,
  org: OrganizationId,
  question: PackageQuestion,
  asOf: Micros,
  page: { place: HolderPlace | undefined; limit: number },
): Promise<{ builds: ListedBuild[]; next: HolderPlace | null }> {
  const { holders, next } = await findHolders(table, org, question, page);
  const builds = holders.map(({ build }) => build);
  const [{ artifacts }, flowNames] = await Promise.all([
    countBuilds(table, org, builds, asOf),
    readFlowNames(table, org, [...new Set(builds.map(({ flow }) => flow))]),
  ]);
  const listed = holders.flatMap(({ build, held }): ListedBuild[] => {
    const counted = artifacts.get(build.id);
    return counted ? [{ build, flowName: flowNames.get(build.flow) ?? '', held, artifacts: counted }] : [];
  });
  return { builds: listed, next };
}
