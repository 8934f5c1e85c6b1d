import { newId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { authored } from '#shared/organizations/records/audit.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';
import { changeType, createType as create, prepareContent, sameContent } from '../records/custom-type-writes.ts';
import { readContent, readTypeHead, type TypeContent } from '../records/custom-types.ts';

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
 * is added only if the content differs from the latest version. If nothing changes, nothing is written.
 */
export async function createType(
  { table, objects, clock }: Stores,
  by: Author<void>,
  { name, description: given, content }: GivenType,
) {
  const { org, caller } = by;
  const prepared = prepareContent(objects, org.id, name, content);
  await retrying(async () => {
    const head = await readTypeHead(table, org.id, name);
    const description = given ?? head?.description ?? null;
    const isSame = head !== null && sameContent(content, await readContent(objects, org.id, head.content));
    if (isSame && description === head.description) return storeClaim(table, by.claim());
    if (!isSame) await prepared.upload();
    const stamp = { at: clock.now(), by: caller.name };
    const type = { id: head?.id ?? newId(stamp.at), name, description };
    const subject = { type: 'custom_attestation_type', id: type.id, name };
    if (!head) {
      const created = { kind: 'custom_type.created', subject, after: { version: 1, description } } as const;
      return create(table, org.id, type, prepared, stamp, (covers) => authored(by, { ...created, covers }));
    }
    const changed = {
      kind: 'custom_type.changed',
      subject,
      before: { version: head.latest, description: head.description },
      after: { version: head.latest + (isSame ? 0 : 1), description },
    } as const;
    const change = { description, content: isSame ? undefined : prepared };
    return changeType(table, org.id, head, change, stamp, (covers) => authored(by, { ...changed, covers }));
  });
}
