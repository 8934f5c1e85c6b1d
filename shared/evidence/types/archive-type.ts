import { retrying } from '#shared/base/retry.ts';
import { after } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { authored } from '#shared/organizations/records/audit.ts';
import { catalogueWrite } from '#shared/series/catalogue.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';
import { typeWrites } from '../records/custom-type-writes.ts';
import { readTypeHead } from '../records/custom-types.ts';
import { unknownType } from '../rules/sentences.ts';
import { TYPES } from '../rules/series-kinds.ts';

/** What archiving a custom type writes. */
export const ARCHIVE_TYPE: Uses = { writes: ['TYPE', 'CATALOGUE', 'AUDIT'] };

/**
 * Archives a custom type (rules/attestations.md#archive-a-type). Nothing changes if the type is archived already.
 *
 * @throws ServiceError `not-found` if there is no such type
 */
export async function archiveType({ table, clock }: Pick<Stores, 'table' | 'clock'>, by: Author<void>, name: string) {
  const { org } = by;
  await retrying(async () => {
    const head = await readTypeHead(table, org.id, name);
    if (!head) throw unknownType({ type: name, org: org.name });
    if (head.archived !== null) return storeClaim(table, by.claim());
    const at = after(head.modified, clock.now());
    const { covers, writes } = typeWrites(org.id, head, { ...head, archived: at, modified: at, rev: head.rev + 1 });
    const subject = { type: 'custom_attestation_type', id: head.id, name };
    return table.transact<'again'>([
      ...authored(by, { kind: 'custom_type.archived', subject, covers }),
      ...writes,
      catalogueWrite(org.id, TYPES, head.id, { n: name, archived: true }),
    ]);
  });
}
