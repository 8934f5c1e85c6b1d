import { type AttestationId, type FlowId, isId, type OrganizationId, storedId } from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import type { Micros } from '#shared/base/time.ts';
import { type Erasure, type ErasurePlan, isFileUse } from '#shared/bodies/erasure.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { decisionOf, planEvaluation } from '#shared/evaluations/erase-evaluation.ts';
import { REPORT_FILE, readEvaluation } from '#shared/evaluations/records/evaluations.ts';
import { planFlow } from '#shared/evidence/erasure/erase-flow.ts';
import { planArtifact, planAttachments, planAttestation } from '#shared/evidence/erasure/erase-records.ts';
import { planMoment, planTrail, readErasableTrail } from '#shared/evidence/erasure/erase-trail.ts';
import { readArtifacts } from '#shared/evidence/records/artifact-records.ts';
import { readAttestation } from '#shared/evidence/records/attestation-records.ts';
import { planStatement, readStatement } from '#shared/log/records/statements.ts';
import { type CopiedRecord, planNotices } from '#shared/notifications/erase-notices.ts';
import { auditEntriesWith, planAuditEntry } from '#shared/organizations/records/audit-erasure.ts';

/** What one step of an erasure erases. Each kind has a section in rules/erasure.md. */
export type Subject =
  | { kind: 'attachment'; id: string; file: { name: string } | { sha256: string } }
  | { kind: 'attestation' | 'artifact' | 'evaluation' | 'statement' | 'audit-entry'; id: string }
  | ({ kind: 'notices'; since: Micros } & CopiedRecord)
  | { kind: 'trail'; flow: FlowId; trail: TrailName }
  | { kind: 'moment'; flow: FlowId; trail: TrailName; number: number }
  | { kind: 'flow'; flow: FlowId };

/** A trail from one of its moments on. Evaluations that read it then or later have copies of the moment's record. */
export interface ReadTrail {
  flow: FlowId;
  trail: TrailName;
  number: number;
  at: Micros;
}

/** The plan for a subject, and where copies of it can lie. */
interface Step {
  plan: ErasurePlan;
  /** Other records that contain copies. */
  copies: Subject[];
  /** Present if evaluations may have copied the texts of the subject. */
  readBy?: ReadTrail;
  /** Present for an evaluation that is not finished. */
  isPending?: boolean;
}

export type ErasureServices = Stores;

/** Names a subject uniquely. */
export const subjectKey = (subject: Subject): string => JSON.stringify(subject);

/**
 * Plans the erasure of one subject.
 *
 * @returns null if the organization has no such record
 */
export async function planSubject(
  services: ErasureServices,
  org: OrganizationId,
  subject: Subject,
  erased: Erasure,
): Promise<Step | null> {
  const { table, objects } = services;
  switch (subject.kind) {
    case 'attachment':
    case 'attestation': {
      const record = isId<AttestationId>(subject.id) ? await readAttestation(table, org, subject.id) : null;
      if (!record) return null;
      if (!('file' in subject)) {
        const { id, at } = record;
        return {
          plan: await planAttestation(table, org, record, erased),
          copies: [{ kind: 'notices', attestation: id, since: at }],
          readBy: record,
        };
      }
      const { file } = subject;
      const files = record.files.filter((one) =>
        'name' in file ? one.filename === file.name : one.sha256 === file.sha256,
      );
      if (files.length === 0 && 'name' in file) return null;
      const plan = await planAttachments(table, org, record, (one) => files.includes(one), erased);
      return { plan, copies: [], readBy: record };
    }
    case 'artifact': {
      const [record] = isId(subject.id) ? await readArtifacts(table, org, [subject.id]) : [];
      if (!record) return null;
      const { fingerprint, at } = record;
      return {
        plan: await planArtifact(table, org, record, erased),
        copies: [{ kind: 'notices', fingerprint, since: at }],
        readBy: record,
      };
    }
    case 'notices':
      return {
        plan: await planNotices(table, org, subject, subject.since, services.clock.now()),
        copies: [],
      };
    case 'trail':
    case 'moment': {
      const read = await readErasableTrail(table, org, subject);
      if (!read) return null;
      const { flow, trail } = subject;
      if (subject.kind === 'trail') {
        const readBy = { flow, trail, number: 1, at: read.head.created };
        return { plan: await planTrail(table, org, read, erased), copies: [], readBy };
      }
      const moment = read.moments.find(({ number }) => number === subject.number);
      return moment ? { plan: planMoment(org, moment, erased), copies: [], readBy: { ...moment, flow, trail } } : null;
    }
    case 'flow': {
      const entries = await auditEntriesWith(table, org, subject.flow, 'description', services.clock.now());
      return {
        plan: await planFlow(table, objects, org, subject.flow, erased),
        copies: entries.map((id) => ({ kind: 'audit-entry', id })),
      };
    }
    case 'evaluation': {
      const record = await readEvaluation(table, org, subject.id);
      if (!record) return null;
      const decision = decisionOf(record);
      return {
        plan: planEvaluation(org, record, erased),
        isPending: record.status === 'pending',
        copies: decision
          ? [
              { kind: 'attestation', id: decision },
              { kind: 'attachment', id: decision, file: { name: REPORT_FILE } },
            ]
          : [],
      };
    }
    case 'statement': {
      const record = await readStatement(table, org, subject.id);
      return record && { plan: planStatement(org, record, erased), copies: [] };
    }
    case 'audit-entry': {
      const plan = await planAuditEntry(table, org, subject.id, erased);
      return plan && { plan, copies: [] };
    }
  }
}

/** Returns the subject that uses a content under a name; null if no command erases records of its kind. */
export function subjectOfUse(user: string, sha256: string): Subject | null {
  if (isFileUse(user)) return { kind: 'attachment', id: user, file: { sha256 } };
  const [kind, id = ''] = user.split(':');
  switch (kind) {
    case 'attestation':
    case 'artifact':
    case 'evaluation':
    case 'statement':
      return { kind, id };
    case 'flow':
      return { kind, flow: storedId<FlowId>(id) };
    default:
      return null;
  }
}
