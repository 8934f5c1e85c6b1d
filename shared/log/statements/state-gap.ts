import * as z from 'zod';
import { firstPreciseIdAt, type Id, type OrganizationId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import { Cover } from '#shared/base/proofs/covers.ts';
import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import { plus } from '#shared/base/time.ts';
import { lineOf } from '#shared/bodies/covered-lines.ts';
import { readGap, SHOWN_GAP } from '#shared/expectations/records/gaps.ts';
import type { Gap } from '#shared/expectations/rules/gaps/gap.ts';
import { unknownGap } from '#shared/expectations/rules/sentences.ts';
import { AuditRecord, auditEntry } from '#shared/organizations/records/audit.ts';
import { auditPartition } from '#shared/organizations/records/keys.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { readClaims } from '../records/claims.ts';
import type { GapSummary } from '../rules/gap-statement.ts';
import { gapDiffers, recordDiffers } from '../rules/sentences.ts';
import { addressOf, type StatementPlace } from './moment-links.ts';
import { type Stated, type StatementFormat, type StatementServices, stateAbout } from './statements.ts';

/**
 * States what is known of a gap (rules/log.md#statement-of-a-gap). Each change of the gap has a statement of its own.
 *
 * @throws ServiceError `not-found` if no gap has the id; as {@link proveGap}
 */
export async function stateGap(
  services: StatementServices,
  place: StatementPlace,
  id: Id,
  format: StatementFormat,
): Promise<Stated> {
  const { org } = place;
  const gap = await readGap(services.table, org.id, id);
  if (!gap) throw unknownGap({ gap: id, org: org.name });
  return stateAbout(services, place, format, ['gap', gap.id, gap.rev], () => summarizeGap(services.table, place, gap));
}

/** @returns null if the log does not have the last change of the gap yet. @throws ServiceError as {@link proveGap} */
async function summarizeGap(table: Table, place: StatementPlace, gap: Gap): Promise<GapSummary | null> {
  const proved = await proveGap(table, place.org.id, gap);
  return (
    proved && {
      kind: 'gap',
      uri: addressOf(place, 'gaps', gap.id),
      expectation: addressOf(place, 'expectations', gap.expectation.name),
      gap,
      entry: {
        uri: addressOf(place, 'receipts', `audit/${proved.id}`),
        sha256: Buffer.from(proved.hash).toString('hex'),
      },
    }
  );
}

/**
 * Requires that the log has the last change of a gap, with exactly this gap (rules/log.md#proved-records).
 *
 * @returns id and hash of the entry of the audit log; null if the log does not have it yet
 * @throws ServiceError `broken` if no entry of the audit log covers the gap as it is stored, or if the log has another entry
 */
async function proveGap(table: Table, org: OrganizationId, gap: Gap): Promise<{ id: string; hash: Uint8Array } | null> {
  const item = await findEntry(table, org, gap);
  const { data: record } = AuditRecord.safeParse(item);
  if (!item || !record) throw gapDiffers({ gap: gap.id });
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
 * Finds the entry of the audit log that covers a gap as it is stored. It has the time of the change. A look gives all gaps that
 * it finds the same time, so several portions can be read.
 */
async function findEntry(table: Table, org: OrganizationId, gap: Gap): Promise<Item | undefined> {
  const { family, key, digest } = coverOf('gaps/gap', undefined, lineOf(SHOWN_GAP, gap));
  const isOurs = (item: Item) =>
    Covering.safeParse(item).data?.covers?.some(
      (cover) => cover.family === family && cover.key === key && cover.digest === digest,
    );
  const to = firstPreciseIdAt(plus(gap.changedAt, 1));
  let from: string = firstPreciseIdAt(gap.changedAt);
  const pk = auditPartition(org, monthOf(firstPreciseIdAt(gap.changedAt)));
  for (;;) {
    const items = await table.query({ pk, from, to, limit: PORTION });
    const found = items.find(isOurs);
    const last = items.at(-1);
    if (found || !last || items.length < PORTION) return found;
    from = `${last.sk}\0`;
  }
}
