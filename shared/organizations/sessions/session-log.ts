import type { Micros } from '#shared/base/time.ts';
import type { Caller, Credential } from '#shared/callers/caller.ts';
import type { Table, Write } from '#shared/table/table.ts';
import { type AuditedChange, auditWrite, stampOf } from '../records/audit.ts';
import type { PrincipalSessionRecord } from '../records/directory-records.ts';
import { personalLog } from '../records/personal-log.ts';

/** A session as use cases show it. */
export type Session = Pick<PrincipalSessionRecord, 'id' | 'key' | 'createdAt' | 'expiresAt'>;

/** A caller who changes the own sessions. */
export interface SessionOwner {
  caller: Caller;
  credential: Credential;
  receivedAt: Micros;
}

/** Finds the audit log of the caller's sessions: that of the account's organization, or of the user's personal one. */
export async function sessionLog(
  table: Table,
  { caller, credential, receivedAt }: SessionOwner,
): Promise<(change: AuditedChange) => Write[]> {
  const stamp = stampOf(caller, receivedAt);
  const { org, name } = credential.principal;
  return org === undefined ? personalLog(table, name, stamp) : (change) => [auditWrite(org, stamp, change)];
}

type Described = Pick<PrincipalSessionRecord, 'id' | 'key'>;

export const subjectOf = ({ id }: Described, { name }: { name: string }) => ({ type: 'session', id, name });

/** What the audit log says of the end of a session. */
export const endOfSession = (session: Described, principal: { name: string }): AuditedChange => ({
  kind: 'session.ended',
  subject: subjectOf(session, principal),
  before: { api_key_id: session.key?.id ?? null },
});
