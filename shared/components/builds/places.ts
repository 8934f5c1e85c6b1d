import * as z from 'zod';
import { AttestationId, EnvironmentId } from '#shared/base/ids.ts';
import { StoredMicros } from '#shared/base/time.ts';
import { cursorIn, readJsonCursorIn, readNameCursorIn } from '#shared/table/cursors.ts';

/** Places of pages in cursors. A cursor belongs to one list: an organization and a question. */

const Count = z.int().min(0);

/** A place in the builds: the page of postings, and the last build that was read of a set of this page. */
export const HolderPlace = z.strictObject({
  /** 0: components with the package URL. From 1 on: components without one that have a name of the package. */
  step: Count,
  after: z.string().nullable(),
  set: z.string().nullable(),
  build: AttestationId.nullable(),
});
export type HolderPlace = z.infer<typeof HolderPlace>;

/** A place among the environments in which anything ever ran, and in the rows of one of them. */
export const UnknownPlace = z.strictObject({
  environment: EnvironmentId.nullable(),
  /** Rows of this environment that were looked at. 0: all of them, or none. */
  row: Count,
});
export type UnknownPlace = z.infer<typeof UnknownPlace>;

/** A place in an answer: among the builds first, then among the artifacts that run without a readable SBOM. */
export const ExposurePlace = z.union([HolderPlace, UnknownPlace]);
export type ExposurePlace = z.infer<typeof ExposurePlace>;

/** Where a page of an answer goes on. All pages are about the instant of the first one, so what runs does not move between them. */
export const ExposureNext = z.strictObject({ asOf: StoredMicros, place: ExposurePlace });

/** A place in the components of one SBOM. */
export const ComponentPlace = z.strictObject({ from: Count });

/** Returns the cursor of the page that follows a place. */
export const placeCursor = (list: readonly string[], place: object): string => cursorIn(list, JSON.stringify(place));

/** @returns the place that the page follows; null for the cursor of another list, and for a place that does not fit the schema */
export const readPlaceCursor = readJsonCursorIn;

/** The same for a search of packages, which goes on behind a package. */
export const packageCursor = cursorIn;
export const readPackageCursor = (list: readonly string[], cursor: string): string | null =>
  readNameCursorIn(list, cursor, z.string());
