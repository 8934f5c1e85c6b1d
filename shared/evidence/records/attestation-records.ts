import * as z from 'zod';
import { AttestationId, FlowId, type Id, type OrganizationId, StoredFingerprint } from '#shared/base/ids.ts';
import { AnyTrailName } from '#shared/base/names.ts';
import { StoredMicros } from '#shared/base/time.ts';
import { StoredBody } from '#shared/bodies/bodies.ts';
import { Erasure } from '#shared/bodies/erasure.ts';
import { bodyUseKey } from '#shared/bodies/keys.ts';
import { VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import { entryWrite } from '#shared/series/series.ts';
import { type Item, keyText, putIfAbsent, type Table, type Write, withRequest } from '#shared/table/table.ts';
import { mayHaveSbom, mayHaveVex } from '../rules/sbom/may-have-sbom.ts';
import { ATTESTATIONS } from '../rules/series-kinds.ts';
import { attestationKey } from './keys.ts';
import { acceptedRecord, FileSeal, Seals } from './sealed-records.ts';

/** A file of an attestation. The bucket stores it by content (rules/attestations.md#evidence-vault). */
export const AttachmentFile = z.object({
  filename: z.string(),
  size: z.number(),
  type: z.string(),
  sha256: z.string(),
  version: z.string().nullable(),
  ...FileSeal.shape,
  /** Present if the file was erased. Digest and version are then empty (rules/erasure.md#erased-attachment). */
  erased: Erasure.optional(),
});
export type AttachmentFile = z.infer<typeof AttachmentFile>;

/**
 * One attestation (rules/attestations.md#attestation-record). `facts` holds everything that lists and rules do not
 * need.
 */
export const AttestationRecord = z.object({
  id: AttestationId,
  flow: FlowId,
  trail: AnyTrailName,
  name: z.string(),
  /** As readers see it: `generic`, `custom:<name>`, `decision`, `override`. */
  type: z.string(),
  compliant: z.boolean(),
  fingerprint: StoredFingerprint.nullable(),
  targets: z.array(z.string()),
  at: StoredMicros,
  number: z.number(),
  by: z.string(),
  /** What an issuer proved about the reporter (rules/identities.md#evidence-says-who). */
  identity: VerifiedIdentity.optional(),
  files: z.array(AttachmentFile),
  facts: StoredBody,
  /** Facts that the service added, for example the version of the custom type or what an override replaces. */
  derived: z.record(z.string(), z.unknown()),
  ...Seals.shape,
});
export type AttestationRecord = z.infer<typeof AttestationRecord>;

/**
 * Returns the writes of an attestation: its record, its entry in the organization's list and the use of each file. The item of a record that
 * may have an SBOM or OpenVEX has `toRead`, so that the stream brings it to the relay (rules/components.md#worker).
 *
 * @param entry sort key for the entry of the list
 * @param seen outcome if the record already exists
 */
export function attestationWrites<R>(
  org: OrganizationId,
  record: AttestationRecord,
  entry: Id,
  seen: () => R,
): Write<R>[] {
  const { id, flow, type } = record;
  const isToRead = mayHaveSbom(record) || mayHaveVex(record);
  return [
    withRequest(putIfAbsent({ ...attestationKey(org, id), v: 1, ...record, ...(isToRead && { toRead: true }) }, seen)),
    entryWrite(org, ATTESTATIONS, entry, { r: id, f: flow, y: type }),
    ...[...new Set(record.files.map(({ sha256 }) => sha256))].map((digest) => ({
      put: { ...bodyUseKey(org, digest, id), v: 1 },
    })),
  ];
}

/** Reads a stored attestation, and compares it with what was accepted. @throws RecordDiffers */
export function readAttestationItem(item: Item): AttestationRecord {
  const record = AttestationRecord.parse(item);
  return acceptedRecord(`attestation ${record.id}`, record);
}

export async function readAttestation(table: Table, org: OrganizationId, id: AttestationId) {
  const item = await table.get(attestationKey(org, id));
  return item ? readAttestationItem(item) : null;
}

/** Reads attestations in the order of `ids`; missing records are left out. */
export async function readAttestations(table: Table, org: OrganizationId, ids: readonly AttestationId[]) {
  const found = await table.getMany(ids.map((id) => attestationKey(org, id)));
  return ids
    .map((id) => found.get(keyText(attestationKey(org, id))))
    .filter((item): item is Item => item !== undefined)
    .map(readAttestationItem);
}
