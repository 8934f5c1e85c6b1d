import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { HolderPlace } from '#shared/components/builds/places.ts';
import type { PackageQuestion } from '#shared/components/rules/question.ts';
import { askExposure, type HeldArtifact } from '#shared/exposure/ask-exposure.ts';

/** Builds of one page, and pages that a case reads at most. */
const PER_PAGE = 100;
const MOST_PAGES = 10;

/** What holds a component, as far as a case reads it. */
export interface Affected {
  rows: HeldArtifact[];
  /** Ids of attestations all of whose artifacts are said not to be affected. */
  cleared: ReadonlySet<string>;
  /** Ids of all attestations that hold an asked version, or may, counted or not. */
  holders: ReadonlySet<string>;
  /** False if there may be more. */
  isComplete: boolean;
}

/** Reads the artifacts that hold an asked version, at most 1,000 builds (rules/watches.md#case). */
export async function readAffected(
  stores: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  question: PackageQuestion,
  { asOf, vulnerability }: { asOf: Micros; vulnerability: string | null },
): Promise<Affected> {
  const rows: HeldArtifact[] = [];
  const holders = new Set<string>();
  const said = new Set<string>();
  /** Builds with an artifact that is not cleared. */
  const open = new Set<string>();
  let place: HolderPlace | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const found = await askExposure(stores, org, question, asOf, { place, limit: PER_PAGE, vulnerability });
    rows.push(...found.affected);
    for (const { build } of found.notAffected) said.add(build.id);
    for (const { build } of [...found.affected, ...found.undecided]) open.add(build.id);
    for (const { build } of [...found.affected, ...found.notAffected, ...found.undecided, ...found.recalled])
      holders.add(build.id);
    // Behind the builds come the artifacts without a readable SBOM, which are no part of a case.
    if (found.next === null || 'row' in found.next)
      return { rows, cleared: said.difference(open), holders, isComplete: true };
    place = found.next;
  }
  return { rows, cleared: said.difference(open), holders, isComplete: false };
}
