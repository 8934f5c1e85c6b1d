import type { Id, OrganizationId } from '#shared/base/ids.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import type { Table } from '#shared/table/table.ts';
import { Attempt } from '../rules/records.ts';
import { attemptKey } from './keys.ts';

/** Reads the record of a delivery's last attempt; null if no attempt was made. */
export async function readLastAttempt(
  table: Table,
  org: OrganizationId,
  { id, action, attempts: made }: { id: Id; action: number; attempts: number },
): Promise<Attempt | null> {
  if (made === 0) return null;
  const item = await table.get(attemptKey(org, action, monthOf(id), id, made));
  return item ? Attempt.parse(item) : null;
}
