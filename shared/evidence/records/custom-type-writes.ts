import { isDeepStrictEqual } from 'node:util';
import type { OrganizationId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { again } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import { lineOf } from '#shared/bodies/covered-lines.ts';
import { onlyIf, unchanged } from '#shared/table/expressions.ts';
import { putIfAbsent, type Write } from '#shared/table/table.ts';
import { SHOWN_TYPE, SHOWN_VERSION, type TypeContent, type TypeHead } from './custom-types.ts';
import { typeHeadKey, typeVersionKey } from './keys.ts';

/**
 * Whether two contents are the same version (rules/attestations.md#versions-of-a-type). Schemas are compared as
 * documents, so white space and the order of members do not matter.
 */
export const sameContent = (one: TypeContent, other: TypeContent): boolean =>
  isDeepStrictEqual(
    { ...one, schema: one.schema === null ? null : JSON.parse(one.schema) },
    { ...other, schema: other.schema === null ? null : JSON.parse(other.schema) },
  );

/**
 * Returns the writes that store a new or a changed type, and what its audit entry covers. Their outcome is `again` if
 * another writer was first.
 *
 * @param before the head that the caller read; undefined for a new type
 * @param added who adds the latest version of `head`, and when. An existing version is never replaced
 *   (rules/storage.md#append-only)
 */
export function typeWrites(
  org: OrganizationId,
  before: TypeHead | undefined,
  head: TypeHead,
  added?: { at: Micros; by: string },
): { covers: Cover[]; writes: Write<'again'>[] } {
  const line = (one: TypeHead) => lineOf(SHOWN_TYPE, one, { type: one.name });
  const covers = [coverOf('custom-types/type', before && line(before), line(head))];
  const item = { ...typeHeadKey(org, head.name), v: 1, ...head };
  const headWrite: Write<'again'> = before
    ? { put: item, ...onlyIf(unchanged(before, 'rev')), refused: again }
    : putIfAbsent(item, again);
  if (!added) return { covers, writes: [headWrite] };
  const version = { number: head.latest, ...added, content: head.content };
  covers.push(coverOf('custom-types/version', undefined, lineOf(SHOWN_VERSION, version, { type: head.name })));
  const key = typeVersionKey(org, head.name, head.latest);
  return { covers, writes: [headWrite, putIfAbsent({ ...key, v: 1, ...version }, again)] };
}
