import { isDeepStrictEqual } from 'node:util';
import type { Id, OrganizationId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { again } from '#shared/base/retry.ts';
import { after, type Micros } from '#shared/base/time.ts';
import { type PreparedBody, prepareBody } from '#shared/bodies/bodies.ts';
import { type Covering, lineOf } from '#shared/bodies/covered-lines.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { catalogueWrite } from '#shared/series/catalogue.ts';
import { onlyIf, unchanged } from '#shared/table/expressions.ts';
import { putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { TYPES } from '../rules/series-kinds.ts';
import { SHOWN_TYPE, SHOWN_VERSION, type TypeContent, type TypeHead } from './custom-types.ts';
import { typeHeadKey, typeVersionKey } from './keys.ts';

/** Who changes a type (name of the user or service account), and when. */
interface Stamp {
  at: Micros;
  by: string;
}

/**
 * Whether two contents are the same version (rules/attestations.md#versions-of-a-type). Schemas are compared as
 * documents, so white space and the order of members do not matter.
 */
export const sameContent = (one: TypeContent, other: TypeContent): boolean =>
  isDeepStrictEqual(
    { ...one, schema: one.schema === null ? null : JSON.parse(one.schema) },
    { ...other, schema: other.schema === null ? null : JSON.parse(other.schema) },
  );

/** Prepares a content for storage as a version of the type with this name. */
export const prepareContent = (
  objects: Objects,
  org: OrganizationId,
  name: string,
  content: TypeContent,
): PreparedBody => prepareBody(objects, org, JSON.stringify(content), `type:${name}`);

/**
 * Creates a type with its first version.
 *
 * @param others returns the request's idempotency claim, which comes first in the transaction, so that its refusal decides
 *   the outcome, and the audit entry
 * @returns `again` if another writer was first, or the outcome of the refused claim
 */
export async function createType<C>(
  table: Table,
  org: OrganizationId,
  type: { id: Id; name: string; description: string | null },
  content: PreparedBody,
  { at, by }: Stamp,
  others: Covering<C>,
): Promise<'done' | 'again' | C> {
  const head: TypeHead = {
    ...type,
    created: at,
    by,
    modified: at,
    archived: null,
    latest: 1,
    content: content.body,
    rev: 1,
  };
  return table.transact<'again' | C>([
    ...others([headCover(undefined, head), versionCover(head, { at, by })]),
    putIfAbsent({ ...typeHeadKey(org, type.name), v: 1, ...head }, again),
    versionWrite(org, head, { at, by }),
    ...content.writes,
    catalogueWrite(org, TYPES, head.id, { n: type.name }),
  ]);
}

/**
 * Changes the description of a type and, if a content is given, adds a version
 * (rules/attestations.md#versions-of-a-type). An archived type stays archived.
 *
 * @param head the head that the caller read
 * @returns as {@link createType}
 */
export async function changeType<C>(
  table: Table,
  org: OrganizationId,
  head: TypeHead,
  change: { description: string | null; content?: PreparedBody | undefined },
  { at: now, by }: Stamp,
  others: Covering<C>,
): Promise<'done' | 'again' | C> {
  const { description, content } = change;
  const at = after(head.modified, now);
  const changed: TypeHead = {
    ...head,
    description,
    modified: at,
    ...(content && { latest: head.latest + 1, content: content.body }),
    rev: head.rev + 1,
  };
  return table.transact<'again' | C>([
    ...others([headCover(head, changed), ...(content ? [versionCover(changed, { at, by })] : [])]),
    headWrite(org, head, changed),
    ...(content ? [versionWrite(org, changed, { at, by }), ...content.writes] : []),
  ]);
}

/**
 * Archives a type (rules/attestations.md#archive-a-type).
 *
 * @returns as {@link createType}
 */
export async function archiveType<C>(
  table: Table,
  org: OrganizationId,
  head: TypeHead,
  now: Micros,
  others: Covering<C>,
): Promise<'done' | 'again' | C> {
  const at = after(head.modified, now);
  const archived: TypeHead = { ...head, archived: at, modified: at, rev: head.rev + 1 };
  return table.transact<'again' | C>([
    ...others([headCover(head, archived)]),
    headWrite(org, head, archived),
    catalogueWrite(org, TYPES, head.id, { n: head.name, archived: true }),
  ]);
}

/** Replaces the head, if no other writer has changed it since it was read. */
const headWrite = (org: OrganizationId, before: TypeHead, head: TypeHead): Write<'again'> => ({
  put: { ...typeHeadKey(org, head.name), v: 1, ...head },
  ...onlyIf(unchanged(before, 'rev')),
  refused: again,
});

/** Adds a version. An existing version is never replaced (rules/storage.md#append-only). */
const versionWrite = (org: OrganizationId, head: TypeHead, stamp: Stamp): Write<'again'> =>
  putIfAbsent({ ...typeVersionKey(org, head.name, head.latest), v: 1, ...versionOf(head, stamp) }, again);

const versionOf = ({ latest: number, content }: TypeHead, { at, by }: Stamp) => ({ number, at, by, content });

function headCover(before: TypeHead | undefined, head: TypeHead): Cover {
  const line = (one: TypeHead) => lineOf(SHOWN_TYPE, one, { type: one.name });
  return coverOf('custom-types/type', before && line(before), line(head));
}

const versionCover = (head: TypeHead, stamp: Stamp): Cover =>
  coverOf('custom-types/version', undefined, lineOf(SHOWN_VERSION, versionOf(head, stamp), { type: head.name }));
