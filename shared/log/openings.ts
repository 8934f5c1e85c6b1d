import * as z from 'zod';
import { type OrganizationId, storedId } from '#shared/base/ids.ts';
import { readBody, StoredBody } from '#shared/bodies/bodies.ts';
import type { Erasure } from '#shared/bodies/erasure.ts';
import { SnapshotContentItem } from '#shared/environments/records/environment-records.ts';
import type { Snapshot } from '#shared/environments/records/snapshots.ts';
import { summaryText } from '#shared/environments/rules/summary.ts';
import {
  artifactKey,
  attestationKey,
  trailFieldsKey,
  trailPartition,
  trailPastFieldsKey,
} from '#shared/evidence/records/keys.ts';
import { FieldsItem, type MomentItem } from '#shared/evidence/records/trail-items.ts';
import type { Services } from '#shared/http/services.ts';
import type { AuditRecord } from '#shared/organizations/records/audit.ts';
import { auditText } from '#shared/organizations/rules/audit-text.ts';
import type { Item, Table } from '#shared/table/table.ts';

/** The text under a commitment of an entry, with the salt. Both are null if the text was erased. */
export interface Opening {
  /** Name of the commitment in the header. */
  name: string;
  salt: Uint8Array | null;
  text: string | null;
  /** When and why the text was erased. */
  erased?: Erasure | undefined;
}

type Reading = Pick<Services, 'table' | 'objects'>;

const RecordItem = z.object({ facts: StoredBody });

/** Reads what a moment commits to: its body, the facts of its record, the fields of the trail (rules/log.md#openings). */
export async function momentOpenings(
  { table, objects }: Reading,
  org: OrganizationId,
  moment: MomentItem & { number: number },
): Promise<Opening[]> {
  const opened = async (name: string): Promise<Opening> => {
    if (name === 'moment') return openMoment(moment);
    const body =
      name === 'record' ? await readRecordBody(table, org, moment) : await readFieldsBody(table, org, moment);
    if (!body)
      throw new Error(`The text under '${name}' of moment ${moment.number} of trail ${moment.trail} is missing`);
    return openBody(objects, org, name, body);
  };
  return Promise.all(Object.keys(moment.pledges).map(opened));
}

/** Reads the facts of the attestation or the artifact report that a moment is about. */
async function readRecordBody(
  table: Table,
  org: OrganizationId,
  { kind, record = '' }: MomentItem,
): Promise<StoredBody | undefined> {
  const isArtifact = kind === 'artifact_creation_reported';
  const item = await table.get(isArtifact ? artifactKey(org, storedId(record)) : attestationKey(org, storedId(record)));
  return item && RecordItem.parse(item).facts;
}

/** Reads the trail's own fields that a moment brought. They are the present ones, or past ones under its number. */
async function readFieldsBody(
  table: Table,
  org: OrganizationId,
  { flow, name, number }: MomentItem & { number: number },
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

/** After an erasure the body holds only a part of the text, without the salt. */
const openMoment = ({ salt, body, erased }: MomentItem): Opening =>
  salt ? { name: 'moment', salt, text: body } : { name: 'moment', salt: null, text: null, erased };

/** Opens the commitment of an audit entry (rules/log.md#openings). */
export const auditOpening = (record: AuditRecord): Opening =>
  record.salt && !record.erased
    ? { name: 'entry', salt: record.salt, text: auditText(record) }
    : { name: 'entry', salt: null, text: null, erased: record.erased };

/** Reads what a snapshot commits to: its content and its summary (rules/log.md#openings). */
export async function snapshotOpenings(
  { objects }: Pick<Reading, 'objects'>,
  org: OrganizationId,
  snapshot: Snapshot,
  content: Item | undefined,
): Promise<Opening[]> {
  const { body } = SnapshotContentItem.parse(content);
  return [
    await openBody(objects, org, 'content', body),
    { name: 'summary', salt: snapshot.salt, text: summaryText(snapshot) },
  ];
}

async function openBody(
  objects: Reading['objects'],
  org: OrganizationId,
  name: string,
  body: StoredBody,
): Promise<Opening> {
  const text = await readBody(objects, org, body);
  return text === null ? { name, salt: null, text, erased: body.erased } : { name, salt: body.salt, text };
}
