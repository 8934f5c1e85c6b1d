import { isDeepStrictEqual } from 'node:util';
import type { Id, OrganizationId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import { after, type Micros } from '#shared/base/time.ts';
import { type PreparedBody, prepareBody } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { catalogueWrite } from '#shared/series/catalogue.ts';
import { putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import type { TypeContent, TypeHead } from './custom-types.ts';
import { typeHeadKey, typeVersionKey } from './keys.ts';

/** Who changes a type, and when. */
export interface Stamp {
  at: Micros;
  by: string;
}

/**
 * Whether two versions ask for the same. Schemas are compared as documents: white space and the order of members make
 * no new version.
 */
export const sameContent = (one: TypeContent, other: TypeContent): boolean =>
  isDeepStrictEqual(
    { ...one, schema: one.schema === null ? null : JSON.parse(one.schema) },
    { ...other, schema: other.schema === null ? null : JSON.parse(other.schema) },
  );

/** The content made ready to become a version of the type with this name. */
export const prepareContent = (
  objects: Objects,
  org: OrganizationId,
  name: string,
  content: TypeContent,
): PreparedBody => prepareBody(objects, org, JSON.stringify(content), `type:${name}`);

/**
 * Makes a type with its first version.
 * @param claim the request's idempotency claim; refused first, so that its outcome is the one that counts
 * @returns `again` when another writer was first, or what the refused claim said
 */
export async function createType<C>(
  table: Table,
  org: OrganizationId,
  type: { id: Id; name: string; description: string | null },
  content: PreparedBody,
  { at, by }: Stamp,
  claim: Write<C>[],
): Promise<'done' | 'again' | C> {
  const head: TypeHead = {
    ...{ ...type, created: at, by, modified: at },
    ...{ archived: null, latest: 1, content: content.body, rev: 1 },
  };
  return table.transact<'again' | C>([
    ...claim,
    putIfAbsent({ ...typeHeadKey(org, type.name), v: 1, ...head }, again),
    versionWrite(org, head, { at, by }),
    ...content.writes,
    catalogueWrite(org, 'type', head.id, { n: type.name }),
  ]);
}

/**
 * Changes what is said of a type, and adds a version where a content is given (semantics §4). An archived type stays
 * archived (wire admin §12 row 15).
 * @returns as {@link createType}
 */
export async function changeType<C>(
  table: Table,
  org: OrganizationId,
  head: TypeHead,
  change: { description: string | null; content?: PreparedBody | undefined },
  { at: now, by }: Stamp,
  claim: Write<C>[],
): Promise<'done' | 'again' | C> {
  const { description, content } = change;
  const at = after(head.modified, now);
  const changed: TypeHead = {
    ...head,
    description,
    modified: at,
    ...(content && { latest: head.latest + 1, content: content.body }),
  };
  return table.transact<'again' | C>([
    ...claim,
    headWrite(org, changed),
    ...(content ? [versionWrite(org, changed, { at, by }), ...content.writes] : []),
  ]);
}

/** Refuses new reports and leaves the list; versions and earlier reports stay, and the name stays taken (semantics §14). */
export async function archiveType<C>(
  table: Table,
  org: OrganizationId,
  head: TypeHead,
  now: Micros,
  claim: Write<C>[],
): Promise<'done' | 'again' | C> {
  const at = after(head.modified, now);
  return table.transact<'again' | C>([
    ...claim,
    headWrite(org, { ...head, archived: at, modified: at }),
    catalogueWrite(org, 'type', head.id, { n: head.name, archived: true }),
  ]);
}

/** Writes a changed head over the one that was read. */
const headWrite = (org: OrganizationId, head: TypeHead): Write<'again'> => ({
  put: { ...typeHeadKey(org, head.name), v: 1, ...head, rev: head.rev + 1 },
  ConditionExpression: '#rev = :rev',
  ExpressionAttributeNames: { '#rev': 'rev' },
  ExpressionAttributeValues: { ':rev': head.rev },
  refused: again,
});

/** A number is given once: versions are never written over (design §2.1, §2.3). */
const versionWrite = (
  org: OrganizationId,
  { name, latest: number, content }: TypeHead,
  { at, by }: Stamp,
): Write<'again'> => putIfAbsent({ ...typeVersionKey(org, name, number), v: 1, number, at, by, content }, again);
