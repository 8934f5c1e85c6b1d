import type { Table, Write } from '#shared/table/table.ts';
import { type AuditedChange, type AuditStamp, auditWrite } from './audit.ts';
import { Directory } from './directory.ts';

/**
 * Where changes of what belongs to a user and to no organization are told: in the audit log of the user's personal
 * organization, which has the user's name (semantics §12.1); nowhere while there is none.
 * @returns what makes the writes of a change
 */
export async function personalLog(
  table: Table,
  user: string,
  stamp: AuditStamp,
): Promise<(change: AuditedChange) => Write[]> {
  const named = await new Directory(table).organization(user);
  return (change) => (named?.kind === 'personal' ? [auditWrite(named.id, stamp, change)] : []);
}
