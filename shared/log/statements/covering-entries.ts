import * as z from 'zod';
import type { ServiceError } from '#shared/base/errors.ts';
import { firstPreciseIdAt, type OrganizationId } from '#shared/base/ids.ts';
import { Cover } from '#shared/base/proofs/covers.ts';
import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import { type Micros, plus } from '#shared/base/time.ts';
import { AuditRecord, auditEntry } from '#shared/organizations/records/audit.ts';
import { auditPartition } from '#shared/organizations/records/keys.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { readClaims } from '../records/claims.ts';
import { recordDiffers } from '../rules/sentences.ts';
import type { Resource } from '../rules/verification-summary.ts';
import { addressOf, type StatementPlace } from './moment-links.ts';

/** Entries of the audit log that cover what a statement is about (rules/organizations.md#covers). */

export interface ProvedEntry {
  id: string;
  hash: Uint8Array;
}

/** Names the receipt of an entry. */
export const entryLink = (place: StatementPlace, { id, hash }: ProvedEntry): Required<Resource> => ({
  uri: addressOf(place, 'receipts', `audit/${id}`),
  sha256: Buffer.from(hash).toString('hex'),
});

/** A record as it is stored, the time of its last change, and the error if no entry covers it. */
interface Covered {
  cover: Cover;
  at: Micros;
  differs: () => ServiceError;
}

/**
 * Requires that the log has the last change of a record, with exactly this record (rules/log.md#proved-records).
 *
 * @returns id and hash of the entry of the audit log; null if the log does not have it yet
 * @throws ServiceError `broken` if no entry of the audit log covers the record as it is stored, or if the log has another entry
 */
export async function proveCovered(
  table: Table,
  org: OrganizationId,
  { cover, at, differs }: Covered,
): Promise<ProvedEntry | null> {
  const item = await findEntry(table, org, cover, at);
  const { data: record } = AuditRecord.safeParse(item);
  if (!item || !record) throw differs();
  const hash = entryHash(auditEntry(org, record));
  const [claim] = await readClaims(table, org, [{ kind: 'audit', entry: item.sk }]);
  if (!claim) return null;
  if (!hash.equals(claim.hash)) throw recordDiffers({ index: claim.index });
  return { id: record.id, hash };
}

/** Entries that are read at once. */
const PORTION = 200;

const Covering = z.object({ covers: z.array(Cover).optional() });

/**
 * Finds the entry of the audit log with a cover. It has the time of the change. A look gives all gaps that it finds the same time, and a question
 * all its matches, so several portions can be read.
 */
async function findEntry(
  table: Table,
  org: OrganizationId,
  { family, key, digest }: Cover,
  at: Micros,
): Promise<Item | undefined> {
  const isOurs = (item: Item) =>
    Covering.safeParse(item).data?.covers?.some(
      (cover) => cover.family === family && cover.key === key && cover.digest === digest,
    );
  const to = firstPreciseIdAt(plus(at, 1));
  let from: string = firstPreciseIdAt(at);
  const pk = auditPartition(org, monthOf(firstPreciseIdAt(at)));
  for (;;) {
    const items = await table.query({ pk, from, to, limit: PORTION });
    const found = items.find(isOurs);
    const last = items.at(-1);
    if (found || !last || items.length < PORTION) return found;
    from = `${last.sk}\0`;
  }
}
