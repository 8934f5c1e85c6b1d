import type { Table, Write } from '#shared/table/table.ts';
import { type AuditedChange, type AuditStamp, auditWrite } from './audit.ts';
import { Directory } from './directory.ts';

/**
 * Finds the audit log for changes of a user's personal keys: that of the user's personal organization, which has the same
 * name as the user (rules/organizations.md#audit-kinds). Without such an organization the changes are not logged.
 */
export async function personalLog(
  table: Table,
  user: string,
  stamp: AuditStamp,
): Promise<(change: AuditedChange) => Write[]> {
  const organization = await new Directory(table).organization(user);
  return (change) => (organization?.kind === 'personal' ? [auditWrite(organization.id, stamp, change)] : []);
}
