import { type AttestationId, type FlowId, isId, storedId } from '#shared/base/ids.ts';
import { storedName, type TrailName } from '#shared/base/names.ts';
import type { Erasure } from '#shared/bodies/erasure.ts';
import { readEvaluation } from '#shared/evaluations/records/evaluations.ts';
import { readArtifacts } from '#shared/evidence/records/artifact-records.ts';
import { readAttestation } from '#shared/evidence/records/attestation-records.ts';
import { type ErasableFiles, eraseExports } from '#shared/exports/erase-exports.ts';
import { eraseSubject } from '#shared/exports/erasure/erase-subject.ts';
import { removeObjects } from '#shared/exports/erasure/remove-objects.ts';
import { planSubject, type Subject } from '#shared/exports/erasure/subjects.ts';
import { readAllExports } from '#shared/exports/records/exports.ts';
import { type EndEntry, endOf, type Restoring } from '../context.ts';

const NO_REASON = 'erased before a restore';
const TOO_LONG = 'The name of the trail is cut in the entry. Repeat the command erase-body for this trail';
const PENDING = 'The evaluation is pending in the restored table. Repeat erase-body when it has ended';

/** Erases texts and files again that were erased after the instant. Their objects are gone from the bucket already. */
export async function eraseAgain(restoring: Restoring, entries: readonly EndEntry[]): Promise<void> {
  const { stores, org, report } = restoring;
  for (const entry of entries) {
    const reason = typeof entry.after?.['reason'] === 'string' ? entry.after['reason'] : NO_REASON;
    const erased: Erasure = { at: entry.at, reason };
    const subjects = await subjectsOf(restoring, entry);
    if (typeof subjects === 'string') {
      await report.leaveOpen(endOf(restoring, entry), subjects);
      continue;
    }
    for (const subject of subjects) {
      const step = await planSubject(stores, org.id, subject, erased);
      // Nothing is to do if the subject is erased already, or was made after the instant.
      if (!step || step.plan.writes.length === 0) continue;
      await report.apply(
        endOf(restoring, entry),
        async () => void (await eraseSubject(stores, org.id, subject, erased)),
      );
    }
  }
  if (entries.length === 0) return;
  await removeObjects(stores, org.id);
  await eraseExports({ ...stores, files: await filesOfKnown(restoring) }, org.id);
}

/**
 * The files of exports that the restored table knows. The erasures of the old table removed all others that held an erased text, and
 * those that are left say what was lost.
 */
async function filesOfKnown({ stores: { table, files }, org }: Restoring): Promise<ErasableFiles> {
  const known = new Set((await readAllExports(table, org.id)).map(({ id }) => id));
  return {
    versions: async (of, id) => (await files.versions(of, id)).filter((version) => known.has(version.id)),
    remove: (version) => files.remove(version),
    discard: (...upload) => files.discard(...upload),
  };
}

const ATTACHMENTS = /^attachments ([\d, ]+) of attestation ([0-9a-f-]+)$/;
const MOMENT = /^moment ([0-9a-f-]+)\/(.+)\/(\d+)$/s;
const TRAIL = /^trail ([0-9a-f-]+)\/(.+)$/s;
/** Names in audit entries have at most so many characters. */
const LONGEST_NAME = 256;

/** @returns the subjects of an entry, or why they are not known */
async function subjectsOf({ stores, org }: Restoring, { subject }: EndEntry): Promise<Subject[] | string> {
  const { type, id, name } = subject;
  const { table } = stores;
  const [, flow = '', trail = '', number = ''] = (type === 'moment' ? MOMENT : TRAIL).exec(name) ?? [];
  const place = { flow: storedId<FlowId>(flow), trail: storedName<TrailName>(trail) };
  switch (type) {
    case 'attachment': {
      const [, places = '', attestation = ''] = ATTACHMENTS.exec(name) ?? [];
      const record = isId<AttestationId>(attestation) ? await readAttestation(table, org.id, attestation) : null;
      const files = places.split(', ').flatMap((one) => record?.files[Number(one)] ?? []);
      return files
        .filter(({ erased }) => !erased)
        .map(({ sha256 }) => ({ kind: 'attachment', id: attestation, file: { sha256 } }));
    }
    case 'artifact': {
      const [record] = isId(id ?? '') ? await readArtifacts(table, org.id, [id ?? '']) : [];
      if (!record) return [];
      const { fingerprint, at: since } = record;
      return [
        { kind: 'artifact', id: id ?? '' },
        { kind: 'notices', fingerprint, since },
      ];
    }
    case 'evaluation': {
      const record = await readEvaluation(table, org.id, id ?? '');
      return record?.status === 'pending' ? PENDING : [{ kind: 'evaluation', id: id ?? '' }];
    }
    case 'attestation': {
      const attestation = id ?? '';
      const record = isId<AttestationId>(attestation) ? await readAttestation(table, org.id, attestation) : null;
      if (!record) return [];
      return [
        { kind: 'attestation', id: record.id },
        { kind: 'notices', attestation: record.id, since: record.at },
      ];
    }
    case 'statement':
    case 'audit-entry':
      return [{ kind: type, id: id ?? '' }];
    case 'flow':
      return [{ kind: 'flow', flow: storedId<FlowId>(id ?? '') }];
    case 'trail':
      return name.length >= LONGEST_NAME ? TOO_LONG : [{ kind: 'trail', ...place }];
    case 'moment':
      return number === '' || name.length >= LONGEST_NAME
        ? TOO_LONG
        : [{ kind: 'moment', ...place, number: Number(number) }];
    // Deliveries are erased with their artifact, and exports at the end.
    default:
      return [];
  }
}
