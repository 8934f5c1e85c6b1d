import * as z from 'zod';
import { mayAs, Role } from '#shared/callers/roles.ts';
import { revokeAllKeys } from '#shared/organizations/keys/revoke-key.ts';
import { type AuditedChange, auditWrite } from '#shared/organizations/records/audit.ts';
import {
  type AccountRecord,
  accountWrites,
  principalOf,
  readAccount,
} from '#shared/organizations/records/service-accounts.ts';
import { bySubject, commit, type EndEntry, endOf, type Restoring, stampOfEntry } from '../context.ts';

const Privilege = z.object({ privilege: Role });

/** Deletes service accounts that were deleted after the instant, with their keys, and lowers privileges that were lowered. */
export async function endAccounts(restoring: Restoring, entries: readonly EndEntry[]): Promise<void> {
  const { stores, from, org, report } = restoring;
  for (const { name: id, own, newest: entry } of bySubject(entries)) {
    // An account that was made after the instant is not there, and neither is its name's earlier holder.
    const present = await readAccount(stores.table, org.id, entry.subject.name);
    if (present?.id !== id) continue;
    const end = endOf(restoring, entry);
    if (own.some(({ kind }) => kind === 'service_account.deleted')) {
      await report.apply(end, () => deleteAgain(restoring, present, entry));
      continue;
    }
    const old = from && (await readAccount(from, org.id, present.name));
    const privilege = old?.id === id ? old.privilege : Privilege.safeParse(entry.after).data?.privilege;
    if (privilege === undefined) {
      await report.leaveOpen(end, 'The values of the entry were erased. Look at the privilege of the service account');
    } else if (!mayAs(privilege, present.privilege)) {
      await report.apply(end, () => lowerAgain(restoring, present, privilege, entry));
    }
  }
}

async function deleteAgain({ stores, org }: Restoring, account: AccountRecord, entry: EndEntry): Promise<void> {
  const { table } = stores;
  const audited = (change: AuditedChange) => [auditWrite(org.id, stampOfEntry(entry), change)];
  // Keys come first, so that a killed restore leaves an account that is found again.
  await revokeAllKeys(stores, { principal: principalOf(org.id, account), audited });
  await commit(table, async () => {
    const before = await readAccount(table, org.id, account.name);
    if (before?.id !== account.id) return [];
    const { writes, covers } = accountWrites(org.id, { before });
    const facts = { privilege: before.privilege, description: before.description };
    return [...writes, ...audited({ kind: 'service_account.deleted', ...subjectOf(before), before: facts, covers })];
  });
}

async function lowerAgain(
  { stores, org }: Restoring,
  { name }: AccountRecord,
  privilege: Role,
  entry: EndEntry,
): Promise<void> {
  await commit(stores.table, async () => {
    const before = await readAccount(stores.table, org.id, name);
    if (!before) return [];
    const { writes, covers } = accountWrites(org.id, { before, after: { ...before, privilege, rev: before.rev + 1 } });
    const lowered: AuditedChange = {
      kind: 'service_account.role_changed',
      ...subjectOf(before),
      before: { privilege: before.privilege },
      after: { privilege },
      covers,
    };
    return [...writes, auditWrite(org.id, stampOfEntry(entry), lowered)];
  });
}

const subjectOf = ({ id, name }: AccountRecord) => ({ subject: { type: 'service_account', id, name } });
