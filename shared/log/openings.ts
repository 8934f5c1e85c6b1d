import * as z from 'zod';
import type { AttestationId, Id, OrganizationId } from '#shared/base/ids.ts';
import { readBody, StoredBody } from '#shared/bodies/bodies.ts';
import type { Erasure } from '#shared/bodies/erasure.ts';
import { summaryText } from '#shared/environments/chain.ts';
import { SnapshotContentItem } from '#shared/environments/records/environment-records.ts';
import type { Snapshot } from '#shared/environments/records/snapshots.ts';
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
import { auditText } from '#shared/organizations/records/audit-entry.ts';
import { type Item, keyText } from '#shared/table/table.ts';

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
  const { flow, name, number, kind, record, pledges } = moment;
  const partition = trailPartition(org, flow, name);
  const recordKey =
    record !== undefined &&
    (kind === 'artifact_creation_reported'
      ? artifactKey(org, record as Id)
      : attestationKey(org, record as AttestationId));
  const fieldsKeys = 'fields' in pledges ? [trailFieldsKey(partition), trailPastFieldsKey(partition, number)] : [];
  const keys = [...(recordKey ? [recordKey] : []), ...fieldsKeys];
  const found = keys.length > 0 ? await table.getMany(keys) : new Map<string, Item>();
  const opened = async (commitment: string): Promise<Opening> => {
    if (commitment === 'moment') return openMoment(moment);
    const stored =
      commitment === 'record'
        ? recordKey && factsOf(found.get(keyText(recordKey)))
        : fieldsKeys.map((key) => fieldsOf(found.get(keyText(key)))).find((fields) => fields?.number === number)?.body;
    if (!stored) throw new Error(`The text under '${commitment}' of moment ${number} of the trail ${name} is missing`);
    return openBody(objects, org, commitment, stored);
  };
  return Promise.all(Object.keys(pledges).map(opened));
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

const factsOf = (item: Item | undefined) => item && RecordItem.parse(item).facts;
const fieldsOf = (item: Item | undefined) => item && FieldsItem.parse(item);
