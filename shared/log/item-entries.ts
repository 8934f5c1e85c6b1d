import { type OrganizationId, storedId, type TrailId } from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import { snapshotEntry } from '#shared/environments/records/chain.ts';
import { readSubjectPartition, snapshotKey } from '#shared/environments/records/keys.ts';
import { readSnapshotItem } from '#shared/environments/records/snapshots.ts';
import { evaluationEntry } from '#shared/evaluations/records/evaluation-entry.ts';
import { EvaluationRecord } from '#shared/evaluations/records/evaluations.ts';
import { evaluationKey, readEvaluationPartition } from '#shared/evaluations/records/keys.ts';
import { momentKey, readMomentPartition } from '#shared/evidence/records/keys.ts';
import { momentEntry, storedMoment } from '#shared/evidence/records/moments.ts';
import { AuditRecord, auditEntry } from '#shared/organizations/records/audit.ts';
import { auditKey, readAuditPartition } from '#shared/organizations/records/keys.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import type { Item, Key } from '#shared/table/table.ts';
import { readStatementPartition } from './records/keys.ts';
import { StatementItem } from './records/statements.ts';
import type { Subject } from './rules/entry.ts';
import { statementEntry } from './rules/sigstore-bundle.ts';

export interface ItemEntry {
  org: OrganizationId;
  bytes: Buffer;
  /** The trail of a moment. Moments are stored under the name of their trail, which no entry holds. */
  trail?: { id: TrailId; name: TrailName };
}

/** Whether an item with this key can have an entry: a moment, a snapshot, an entry of the audit log, an evaluation or a statement. */
export const hasEntry = ({ pk, sk }: Key): boolean =>
  readMomentPartition(pk) !== null ||
  readAuditPartition(pk) !== null ||
  readEvaluationPartition(pk) !== null ||
  readStatementPartition(pk) !== null ||
  (sk.startsWith('S#') && readSubjectPartition(pk)?.family === 'SNAPSHOT');

/**
 * Rebuilds the entry of a stored item for which {@link hasEntry} holds (rules/log.md#entries).
 *
 * @returns null for an evaluation that is pending
 * @throws Error if the entry does not have the stored hash; ZodError if the item does not fit its schema
 */
export function entryOfItem(item: Item): ItemEntry | null {
  const moments = readMomentPartition(item.pk);
  if (moments) {
    const moment = storedMoment(item);
    const bytes = withHash(momentEntry(moments.org, moment), moment.hash);
    return { org: moments.org, bytes, trail: { id: moment.trail, name: moment.name } };
  }
  const audited = readAuditPartition(item.pk);
  if (audited) {
    return { org: audited, bytes: auditEntry(audited, AuditRecord.parse(item)) };
  }
  const evaluated = readEvaluationPartition(item.pk);
  if (evaluated) {
    const bytes = evaluationEntry(evaluated.org, EvaluationRecord.parse(item));
    return bytes && { org: evaluated.org, bytes };
  }
  const statements = readStatementPartition(item.pk);
  if (statements) return { org: statements, bytes: statementEntry(StatementItem.parse(item)) };
  const snapshots = readSubjectPartition(item.pk);
  if (!snapshots) throw new Error(`The item ${item.pk} / ${item.sk} has no entry in a log`);
  const snapshot = readSnapshotItem(item);
  const bytes = snapshotEntry(snapshots.org, storedId(snapshots.subject), snapshot);
  return { org: snapshots.org, bytes: withHash(bytes, snapshot.hash) };
}

/**
 * Returns the key of the record that an entry is about. Moments are stored under names, and no entry holds a name.
 *
 * @returns null for a trail without a name, and for a statement, whose record no subject names
 */
export function recordKeyOf(
  org: OrganizationId,
  subject: Subject,
  trails: ReadonlyMap<TrailId, TrailName> = new Map(),
): Key | null {
  switch (subject.kind) {
    case 'trail': {
      const name = trails.get(subject.trail);
      return name === undefined ? null : momentKey(org, subject.flow, name, subject.number);
    }
    case 'environment':
      return snapshotKey(org, subject.environment, subject.number);
    case 'audit':
      return auditKey(org, monthOf(subject.entry), subject.entry);
    case 'evaluation':
      return evaluationKey(org, subject.evaluation);
    case 'statement':
      return null;
  }
}

function withHash(bytes: Buffer, hash: Uint8Array): Buffer {
  if (entryHash(bytes).equals(hash)) return bytes;
  throw new Error('The header of the item does not have the hash that is stored with it');
}
