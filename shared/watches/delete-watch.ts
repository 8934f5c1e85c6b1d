import { retrying } from '#shared/base/retry.ts';
import { after } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { auditWrite, stampOf } from '#shared/organizations/records/audit.ts';
import type { Uses } from '#shared/table/uses.ts';
import { watchFacts } from './put-watch.ts';
import { askedKey } from './records/keys.ts';
import { readWatch, watchWrites } from './records/watches.ts';
import { unknownWatch } from './rules/sentences.ts';

/** What deleting a watch writes. */
export const DELETE_WATCH: Uses = { writes: ['AUDIT'], removes: ['WATCH'] };

/**
 * Deletes a watch (rules/watches.md#delete). What it matched stays, for exports and the audit log; the name is free again.
 *
 * @throws ServiceError `not-found` if no watch has the name
 */
export async function deleteWatch(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: Author<void>,
  name: string,
): Promise<void> {
  const { org, caller } = by;
  await retrying(async () => {
    const before = await readWatch(table, org.id, name);
    if (!before) throw unknownWatch({ watch: name, org: org.name });
    const { write, covers } = watchWrites(org.id, before, undefined);
    const subject = { type: 'watch', id: before.id, name };
    const change = { kind: 'watch.deleted', subject, before: watchFacts(before), covers } as const;
    // Covers follow in the order of their entries, so the entry is later than that of the change before.
    const entry = auditWrite(org.id, stampOf(caller, after(before.changedAt, clock.now())), change);
    return table.transact<'again'>([...by.claim(), write, entry, { remove: askedKey(org.id, before.id) }]);
  });
}
