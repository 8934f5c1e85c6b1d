import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { ExposurePlace } from '#shared/components/builds/places.ts';
import type { PackageQuestion } from '#shared/components/rules/question.ts';
import { askExposure, type ExposurePage } from './ask-exposure.ts';

interface Bounds {
  vulnerability?: string | null | undefined;
  /** Pages that are read at most, and builds or running artifacts of each. */
  pages: number;
  limit: number;
}

/**
 * Reads the pages of an answer one after another and joins them.
 * @returns the place of the next page is null if the answer is complete
 */
export async function readExposure(
  stores: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  question: PackageQuestion,
  asOf: Micros,
  { vulnerability, pages, limit }: Bounds,
): Promise<ExposurePage> {
  const found: ExposurePage[] = [];
  let place: ExposurePlace | null | undefined;
  do {
    const page = await askExposure(stores, org, question, asOf, { place: place ?? undefined, limit, vulnerability });
    found.push(page);
    place = page.next;
  } while (place !== null && found.length < pages);
  return {
    affected: found.flatMap((page) => page.affected),
    notAffected: found.flatMap((page) => page.notAffected),
    undecided: found.flatMap((page) => page.undecided),
    recalled: found.flatMap((page) => page.recalled),
    notKnown: found.flatMap((page) => page.notKnown),
    flowNames: new Map(found.flatMap((page) => [...page.flowNames])),
    tags: new Map(found.flatMap((page) => [...page.tags])),
    next: place,
  };
}
