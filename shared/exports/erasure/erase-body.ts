import type { OrganizationId } from '#shared/base/ids.ts';
import type { FlowName, TrailName } from '#shared/base/names.ts';
import type { Erasure } from '#shared/bodies/erasure.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { FORGET_SBOM } from '#shared/components/uses.ts';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { type Uses, usesTogether } from '#shared/table/uses.ts';
import { eraseExports, type RemovedExports } from '../erase-exports.ts';
import type { ExporterServices } from '../services.ts';
import { eraseSubject } from './erase-subject.ts';
import { findScope, type ScopeRefusal } from './find-scope.ts';
import { type Removals, removeObjects } from './remove-objects.ts';
import type { Subject } from './subjects.ts';

/**
 * What erasures change: records with bodies, uses of contents, removals of objects that are to be done, the objects, exports, and the
 * index of components. Only the index, commits of trails, whose keys contain a digest, uses of contents and the list of running exports lose
 * items.
 */
export const ERASE_BODY: Uses = usesTogether([
  {
    writes: [
      'ATTESTATION',
      'ARTIFACT',
      'TRAIL',
      'MOMENT',
      'FLOW',
      'EVALUATION',
      'STATEMENT',
      'DELIVERY',
      'AUDIT',
      'BODY',
      'ERASURE',
      'EXPORT',
      'PACKAGE',
    ],
    removes: ['TRAIL', 'BODY', 'ERASURE', '@EXPORTING', '@PACKAGING'],
    bucket: ['bodies:read', 'bodies:write', 'bodies:erase', 'evidence:erase', 'exports:erase'],
  },
  FORGET_SBOM,
]);

/** The record whose text or file is erased, as callers name it: a flow by its present name or an alias. */
export type NamedRecord =
  | { kind: 'attachment'; id: string; file: string }
  | { kind: 'attestation' | 'artifact' | 'evaluation' | 'statement' | 'audit-entry'; id: string }
  | { kind: 'trail'; flow: FlowName; trail: TrailName }
  | { kind: 'moment'; flow: FlowName; trail: TrailName; number: number }
  | { kind: 'flow'; flow: FlowName };

export type ErasureRefusal = ScopeRefusal | { refused: 'no flow'; flow: string };

export interface ErasedBody {
  erased: Erasure;
  /** Kind and id of each record that this call erased. */
  records: string[];
  /** Ids of evaluations that may still store a copy. */
  pending: string[];
  removals: Removals;
  exports: RemovedExports;
}

/**
 * Erases the text or the file of one record with all its copies (rules/erasure.md#erase-body). Repeating the call finishes what
 * an interrupted one began.
 *
 * @param allUses whether other records that use the same content are erased too
 */
export async function eraseBody(
  services: Stores & Pick<ExporterServices, 'files'>,
  org: OrganizationId,
  record: NamedRecord,
  { reason, allUses }: { reason: string; allUses: boolean },
): Promise<ErasedBody | ErasureRefusal> {
  const target = await subjectOf(services, org, record);
  if ('refused' in target) return target;
  const erased = { at: services.clock.now(), reason };
  const scope = await findScope(services, org, target, { allUses, erased });
  if ('refused' in scope) return scope;
  const records: string[] = [];
  for (const subject of scope.subjects) {
    const what = await eraseSubject(services, org, subject, erased);
    if (what !== null) records.push(what);
  }
  const removals = await removeObjects(services, org);
  // Last: an export that starts now finds the texts neither in the table nor in the bucket.
  return { erased, records, pending: scope.pending, removals, exports: await eraseExports(services, org) };
}

async function subjectOf(
  { table }: Pick<Stores, 'table'>,
  org: OrganizationId,
  record: NamedRecord,
): Promise<Subject | ErasureRefusal> {
  if (record.kind === 'attachment') return { ...record, file: { name: record.file } };
  if (!('flow' in record)) return record;
  const head = await findFlow(table, org, record.flow);
  return head ? { ...record, flow: head.id } : { refused: 'no flow', flow: record.flow };
}
