import type { AttestationId, OrganizationId } from '#shared/base/ids.ts';
import type { StreamItem } from '#shared/table/stream-item.ts';
import type { Table } from '#shared/table/table.ts';
import { readAttestationComponents } from '../records/attestation-components.ts';
import { readAttestationKey } from '../records/keys.ts';

/** Reads an attestation that the stream brought, if it may have an SBOM; null for other items. */
export function readUnreadAttestation(
  streamed: StreamItem,
): { org: OrganizationId; attestation: AttestationId } | null {
  const found = readAttestationKey(streamed);
  return found && streamed.item['toRead'] === true ? found : null;
}

/** Returns those of attestations that may have an SBOM and that the worker has not read. One call for 100 of them, none without any. */
export async function findUnread(
  table: Table,
  org: OrganizationId,
  toRead: readonly AttestationId[],
): Promise<AttestationId[]> {
  if (toRead.length === 0) return [];
  const read = await readAttestationComponents(table, org, toRead);
  return toRead.filter((id) => !read.has(id));
}
