import { newId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import { after } from '#shared/base/time.ts';
import { prepareBody } from '#shared/bodies/bodies.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { authored } from '#shared/organizations/records/audit.ts';
import { catalogueWrite } from '#shared/series/catalogue.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';
import { sameContent, typeWrites } from '../records/custom-type-writes.ts';
import { readContent, readTypeHead, type TypeContent, type TypeHead } from '../records/custom-types.ts';
import { TYPES } from '../rules/series-kinds.ts';

export type { TypeContent };

/** What creating or changing a custom type reads and writes. */
export const CREATE_TYPE: Uses = {
  writes: ['TYPE', 'CATALOGUE', 'BODY', 'AUDIT'],
  bucket: ['bodies:read', 'bodies:write'],
};

/** A custom type as a caller gives it. */
interface GivenType {
  name: string;
  /** Absent: an existing type keeps its description. */
  description?: string | null | undefined;
  content: TypeContent;
}

/**
 * Creates a custom type, or adds a version to the type of this name (rules/attestations.md#versions-of-a-type). A version
 * is added only if the content differs from the latest version. If nothing changes, nothing is written. An archived type
 * stays archived.
 */
export async function createType(
  { table, objects, clock }: Stores,
  by: Author<void>,
  { name, description: given, content }: GivenType,
) {
  const { org, caller } = by;
  const prepared = prepareBody(objects, org.id, JSON.stringify(content), `type:${name}`);
  await retrying(async () => {
    const head = await readTypeHead(table, org.id, name);
    const description = given ?? head?.description ?? null;
    const isSame = head !== null && sameContent(content, await readContent(objects, org.id, head.content));
    if (isSame && description === head.description) return storeClaim(table, by.claim());
    if (!isSame) await prepared.upload();
    const stamp = { at: after(head?.modified, clock.now()), by: caller.name };
    const changed: TypeHead = {
      ...(head ?? { id: newId(stamp.at), name, created: stamp.at, by: stamp.by, archived: null }),
      description,
      modified: stamp.at,
      latest: (head?.latest ?? 0) + (isSame ? 0 : 1),
      content: isSame ? head.content : prepared.body,
      rev: (head?.rev ?? 0) + 1,
    };
    const { covers, writes } = typeWrites(org.id, head ?? undefined, changed, isSame ? undefined : stamp);
    const audited = {
      kind: head ? 'custom_type.changed' : 'custom_type.created',
      subject: { type: 'custom_attestation_type', id: changed.id, name },
      ...(head && { before: { version: head.latest, description: head.description } }),
      after: { version: changed.latest, description },
      covers,
    } as const;
    return table.transact<'again'>([
      ...authored(by, audited),
      ...writes,
      ...(isSame ? [] : prepared.writes),
      ...(head ? [] : [catalogueWrite(org.id, TYPES, changed.id, { n: name })]),
    ]);
  });
}
