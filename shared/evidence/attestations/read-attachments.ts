import { type AttestationId, isId, type OrganizationId } from '#shared/base/ids.ts';
import { erasureWords } from '#shared/bodies/erasure.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { type AttachmentFile, readAttestation } from '../records/attestation-records.ts';
import { attachmentErased, attachmentNotFound, attestationNotFound } from '../rules/sentences.ts';

export type { AttachmentFile };

/**
 * Reads the attachments of an attestation (rules/attestations.md#read-attachments).
 *
 * @throws ServiceError `not-found` if the organization has no such attestation
 */
export async function readAttachments({ table }: Pick<Stores, 'table'>, org: OrganizationId, id: string) {
  const record = isId<AttestationId>(id) ? await readAttestation(table, org, id) : null;
  if (!record) throw attestationNotFound();
  return record.files;
}

/**
 * Reads one attachment of an attestation.
 *
 * @param n its number in the list, from 0, without leading zeros
 * @throws ServiceError `not-found` if there is none with this number, `gone` if it was erased
 */
export async function readAttachment(
  stores: Pick<Stores, 'table'>,
  org: OrganizationId,
  attestation: string,
  n: string,
): Promise<AttachmentFile> {
  const files = await readAttachments(stores, org, attestation);
  const file = /^(0|[1-9]\d{0,3})$/.test(n) ? files[Number(n)] : undefined;
  if (!file) throw attachmentNotFound();
  const { erased } = file;
  if (erased) throw attachmentErased(erasureWords(erased));
  return file;
}
