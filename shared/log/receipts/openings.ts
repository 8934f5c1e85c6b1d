import { type EnvironmentId, type OrganizationId, storedId } from '#shared/base/ids.ts';
import { RecordGone } from '#shared/base/proofs/record-gone.ts';
import { readBody, type StoredBody } from '#shared/bodies/bodies.ts';
import type { Erasure } from '#shared/bodies/erasure.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import type { Reading } from '#shared/bodies/stores.ts';
import { SnapshotContentItem } from '#shared/environments/records/environment-records.ts';
import { type Snapshot, snapshotOf } from '#shared/environments/records/snapshots.ts';
import { summaryText } from '#shared/environments/rules/summary.ts';
import type { EvaluationRecord } from '#shared/evaluations/records/evaluations.ts';
import { detailsText, evaluationText } from '#shared/evaluations/rules/evaluation-text.ts';
import { readArtifactItem } from '#shared/evidence/records/artifact-records.ts';
import { readAttestationItem } from '#shared/evidence/records/attestation-records.ts';
import {
  artifactKey,
  attestationKey,
  trailFieldsKey,
  trailPartition,
  trailPastFieldsKey,
} from '#shared/evidence/records/keys.ts';
import { commitmentsOf, momentOf, type StoredMoment } from '#shared/evidence/records/moments.ts';
import { provedText } from '#shared/evidence/records/sealed-records.ts';
import { FieldsItem } from '#shared/evidence/records/trail-items.ts';
import type { AuditRecord } from '#shared/organizations/records/audit.ts';
import { entryText, valuesText } from '#shared/organizations/rules/audit-text.ts';
import type { Item, Table } from '#shared/table/table.ts';

/** The text under a commitment of an entry, with the salt. Both are null if the text was erased. */
export interface Opening {
  name: string;
  salt: Uint8Array | null;
  text: string | null;
  erased?: Erasure | undefined;
}

/** Reads what a moment commits to: its own texts, its record, the fields of the trail (rules/log.md#openings). */
export async function momentOpenings(
  { table, objects }: Reading,
  org: OrganizationId,
  moment: StoredMoment,
): Promise<Opening[]> {
  const { pledges, body, salt } = moment;
  const fields = 'fields' in pledges ? await readFieldsBody(table, org, moment) : undefined;
  const found = [
    { name: 'moment', salt, text: body },
    openDetails(moment),
    ...('record' in pledges ? await openRecord({ table, objects }, org, moment) : []),
    ...(fields ? [await openBody(objects, org, 'fields', fields)] : []),
  ];
  return Object.keys(commitmentsOf(moment)).map((name) => {
    const opening = found.find((one) => one.name === name);
    if (opening) return opening;
    throw new RecordGone(momentOf(moment, moment.number), { part: `the text under '${name}'` });
  });
}

/** Reads the attestation or the artifact report that a moment is about. Its facts are a text of their own. */
async function openRecord(
  { table, objects }: Reading,
  org: OrganizationId,
  { kind, record: id = '' }: StoredMoment,
): Promise<Opening[]> {
  const isArtifact = kind === 'artifact_creation_reported';
  const item = await table.get(isArtifact ? artifactKey(org, storedId(id)) : attestationKey(org, storedId(id)));
  if (!item) return [];
  const record = isArtifact ? readArtifactItem(item) : readAttestationItem(item);
  return [
    { name: 'record', salt: record.salt, text: provedText(record) },
    // The receipt compares the text with the log, which names the entry in its error.
    await openBody(objects, org, 'facts', { ...record.facts, pledge: undefined }),
  ];
}

/** Reads the trail's own fields that a moment brought. They are the present ones, or past ones under its number. */
async function readFieldsBody(
  table: Table,
  org: OrganizationId,
  { flow, name, number }: StoredMoment,
): Promise<StoredBody | undefined> {
  const partition = trailPartition(org, flow, name);
  const keys = [trailFieldsKey(partition), trailPastFieldsKey(partition, number)];
  const read = async () =>
    [...(await table.getMany(keys)).values()]
      .map((item) => FieldsItem.parse(item))
      .find((fields) => fields.number === number)?.body;
  // A writer can move the fields between the reads of one batch. The second batch finds them at their last place.
  return (await read()) ?? (await read());
}

/** After an erasure only a part of the details is left, without the salt. */
const openDetails = ({ detailsSalt, details, erased }: StoredMoment): Opening =>
  detailsSalt
    ? { name: 'details', salt: detailsSalt, text: details }
    : { name: 'details', salt: null, text: null, erased };

/** Opens the commitments of an audit entry (rules/log.md#openings). */
export const auditOpenings = (record: AuditRecord): Opening[] => [
  { name: 'entry', salt: record.salts.entry, text: entryText(record) },
  record.salts.values
    ? { name: 'values', salt: record.salts.values, text: valuesText(record) }
    : { name: 'values', salt: null, text: null, erased: record.erased },
];

/** A text whose salt was erased is not handed out. */
const opened = (name: string, salt: Uint8Array | undefined, text: string | null, erased?: Erasure): Opening =>
  salt ? { name, salt, text } : { name, salt: null, text: null, erased };

const EVALUATION_BODIES = ['context', 'policy', 'params', 'input', 'result'] as const;

/** Reads what an evaluation that ended commits to: its own texts and its bodies (rules/log.md#openings). */
export async function evaluationOpenings(
  { objects }: Pick<Reading, 'objects'>,
  org: OrganizationId,
  record: EvaluationRecord,
): Promise<Opening[]> {
  const { erased, salts, error, pledges } = record;
  const bodies = await Promise.all(
    EVALUATION_BODIES.map(async (name): Promise<Opening[]> => {
      const body = record[name];
      return body ? [await openBody(objects, org, name, body)] : [];
    }),
  );
  const own = { evaluation: evaluationText(record), details: detailsText(record), error: error?.message ?? null };
  const others = Object.entries(own).flatMap(([name, text]): Opening[] =>
    name in pledges ? [opened(name, salts[name], text, erased)] : [],
  );
  return [...bodies.flat(), ...others];
}

/** Reads what a snapshot commits to: its content and its summary (rules/log.md#openings). */
export async function snapshotOpenings(
  { objects }: Pick<Reading, 'objects'>,
  org: OrganizationId,
  environment: EnvironmentId,
  snapshot: Snapshot,
  content: Item | undefined,
): Promise<Opening[]> {
  if (!content) throw new RecordGone(snapshotOf(environment, snapshot.index), { part: 'its content' });
  const { body } = SnapshotContentItem.parse(content);
  return [
    await openBody(objects, org, 'content', body),
    { name: 'summary', salt: snapshot.salt, text: summaryText(snapshot) },
  ];
}

async function openBody(objects: Objects, org: OrganizationId, name: string, body: StoredBody): Promise<Opening> {
  const text = await readBody(objects, org, body);
  return text === null ? { name, salt: null, text, erased: body.erased } : { name, salt: body.salt, text };
}
