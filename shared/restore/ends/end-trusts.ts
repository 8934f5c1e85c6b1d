import { isDeepStrictEqual } from 'node:util';
import { type AuditedChange, auditWrite } from '#shared/organizations/records/audit.ts';
import { readTrust, type TrustRecord, trustWrites } from '#shared/organizations/records/trusts.ts';
import { trustFacts } from '#shared/organizations/trusts/read-trusts.ts';
import { bySubject, commit, type EndEntry, endOf, type Restoring, stampOfEntry } from '../context.ts';
import { isNarrower } from '../rules/narrower-trust.ts';

/** What of a trust's facts says whose tokens it accepts, and as whom. */
const TERMS = ['service_account', 'preset', 'issuer', 'audience', 'claims'] as const;

const REMOVED =
  'The trust was changed after the instant and may accept other tokens now, so it was removed. Put it again as it shall be';

/**
 * Deletes trusts that were deleted after the instant. A trust with changed terms gets the new terms if they accept no other tokens
 * than the old ones; otherwise it is removed, because what was given after the instant is not given again.
 */
export async function endTrusts(restoring: Restoring, entries: readonly EndEntry[]): Promise<void> {
  const { stores, from, org, report } = restoring;
  for (const { name: id, own, newest: entry } of bySubject(entries)) {
    const present = await readTrust(stores.table, org.id, entry.subject.name);
    if (present?.id !== id) continue;
    const end = endOf(restoring, entry);
    if (own.some(({ kind }) => kind === 'trust.deleted')) {
      await report.apply(end, () => replace(restoring, present, undefined, entry));
      continue;
    }
    const old = from && (await readTrust(from, org.id, present.name));
    if (old?.id === id ? old.terms === present.terms : own.every(hasSameTerms)) continue;
    const next = old?.id === id && isNarrower(old, present) ? old : undefined;
    await report.apply(end, () => replace(restoring, present, next, entry));
    if (!next) await report.leaveOpen(end, REMOVED);
  }
}

/** Erased values say nothing, so the terms count as changed. */
const hasSameTerms = ({ before, after }: EndEntry): boolean =>
  before !== null && after !== null && TERMS.every((name) => isDeepStrictEqual(before[name], after[name]));

async function replace(
  { stores, org }: Restoring,
  { id, name }: TrustRecord,
  next: TrustRecord | undefined,
  entry: EndEntry,
): Promise<void> {
  await commit(stores.table, async () => {
    const before = await readTrust(stores.table, org.id, name);
    if (before?.id !== id) return [];
    const { writes, covers } = trustWrites(org, next ? { before, after: next } : { before });
    const changed: AuditedChange = {
      kind: next ? 'trust.changed' : 'trust.deleted',
      subject: { type: 'trust', id, name },
      before: trustFacts(before),
      ...(next && { after: trustFacts(next) }),
      covers,
    };
    return [...writes, auditWrite(org.id, stampOfEntry(entry), changed)];
  });
}
