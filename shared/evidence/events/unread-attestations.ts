import type { AttestationId, OrganizationId } from '#shared/base/ids.ts';
import type { Key, Table } from '#shared/table/table.ts';
import { readAttestationComponents } from '../records/attestation-components.ts';
import { readAttestationKey } from '../records/keys.ts';

/**
 * Reads which attestation may have an SBOM.
 *
 * @param isMarked whether the item says so; asked for items of attestations only
 * @returns null for other items
 */
export function readUnreadAttestation(
  key: Key,
  isMarked: () => boolean,
): { org: OrganizationId; attestation: AttestationId } | null {
  const found = readAttestationKey(key);
  return found && isMarked() ? found : null;
}

/** Returns those of attestations that may have an SBOM and that the worker has not read. One call for 100 of them, none without any. */
export async function findUnread(
  table: Table,
  org: OrganizationId,
  toRead: readonly AttestationId[],
): Promise<AttestationId[]> {
  const read = await readAttestationComponents(table, org, toRead);
  return toRead.filter((id) => !read.has(id));
}
