import * as z from 'zod';
import { type OrganizationId, storedId } from '#shared/base/ids.ts';
import { type Micros, StoredMicros } from '#shared/base/time.ts';
import { readRecord, type Table } from '#shared/table/table.ts';
import { notifiedOrganizationKey, notifiedOrganizations } from './records/keys.ts';

const Notified = z.object({ sk: z.string(), since: StoredMicros });

interface NotifiedOrganization {
  org: OrganizationId;
  /** When its first action was created. Earlier events have no deliveries. */
  since: Micros;
}

/** Reads the organizations that have or had an action. */
export async function readNotifiedOrganizations(table: Table): Promise<NotifiedOrganization[]> {
  const items = await table.query({ pk: notifiedOrganizations });
  return items.map((item) => Notified.parse(item)).map(({ sk, since }) => ({ org: storedId(sk), since }));
}

/** Reads when the first action of an organization was created; null if it never had an action. */
export const readNotifiedSince = async (table: Table, org: OrganizationId): Promise<Micros | null> =>
  (await readRecord(table, notifiedOrganizationKey(org), Notified))?.since ?? null;
