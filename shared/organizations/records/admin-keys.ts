import type { Id } from '#shared/base/ids.ts';
import { family } from '#shared/table/keys.ts';
import type { Key } from '#shared/table/table.ts';

/**
 * Keys of what organizations run themselves with: service accounts and the audit log. API keys, users and memberships
 * are looked up before an organization is known: their keys are the directory's, in `keys.ts`.
 */

/** The service accounts of an organization, in order of their names. */
export const accountList = (org: Id): string => family(org, 'ACCOUNT');
export const accountKey = (org: Id, name: string): Key => ({ pk: accountList(org), sk: name });

/** The audit log, cut by month (`202611`). */
export const auditPartition = (org: Id, month: string): string => family(org, 'AUDIT', month);
/** An entry lies in the month that its id was made in. */
export const auditKey = (org: Id, month: string, id: Id): Key => ({ pk: auditPartition(org, month), sk: id });
