import type * as z from 'zod';
import { retrying } from '#shared/base/retry.ts';
import type { Author } from '#shared/callers/author.ts';
import { READ_RECALLS } from '#shared/signers/read-signers.ts';
import { readVersioned } from '#shared/signers/records/versioned.ts';
import { RecallRecord } from '#shared/signers/rules/recall-records.ts';
import { type Saved, saveVersion } from '#shared/signers/save-version.ts';
import { authorOf, bySubject, type EndEntry, endOf, type Restoring } from '../context.ts';

/** What an audit entry says of a recall. */
const Terms = RecallRecord.pick({ target: true, from: true, until: true, reason: true, deleted: true });
type Terms = z.infer<typeof Terms>;

/**
 * Gives recalls what they said at last: one that was made after the instant recalls again, and one that was deleted recalls nothing
 * (rules/restore.md#kinds-of-audit-entries). A restore that forgot a recall would trust its signatures again.
 */
export async function recallAgain(restoring: Restoring, entries: readonly EndEntry[]): Promise<void> {
  const { stores, from, org, report } = restoring;
  for (const { name, newest: entry } of bySubject(entries, ({ subject }) => subject.name)) {
    const author = authorOf(restoring, entry);
    if (!author) continue;
    const old = from && (await readVersioned(READ_RECALLS.kind, from, org.id, name));
    const terms = Terms.safeParse(old ?? entry.after).data;
    if (!terms) {
      const reason = 'Nothing says any more what was recalled. Look at the recalls, and save this one again';
      await report.leaveOpen(endOf(restoring, entry), reason);
      continue;
    }
    const present = await readVersioned(READ_RECALLS.kind, stores.table, org.id, name);
    if (present ? isSame(present, terms) : terms.deleted) continue;
    await report.apply(endOf(restoring, entry), () => save(restoring, author, name, terms));
  }
}

const isSame = (present: RecallRecord, terms: Terms): boolean =>
  JSON.stringify(Terms.parse(present)) === JSON.stringify(terms);

const save = ({ stores, org }: Restoring, by: Author<unknown>, name: string, terms: Terms): Promise<void> =>
  retrying(async () => {
    const before = await readVersioned(READ_RECALLS.kind, stores.table, org.id, name);
    const saved: Saved<RecallRecord> | 'again' = await saveVersion(stores, by, READ_RECALLS.kind, {
      name,
      before,
      terms,
    });
    return saved === 'again' ? saved : 'done';
  }).then(() => undefined);
