import * as z from 'zod';
import { type Id, OrganizationId } from '#shared/base/ids.ts';
import type { QueueMessage } from '#shared/queues/queue.ts';
import { Requests } from '#shared/queues/requests.ts';
import type { StreamItem } from '#shared/table/stream-item.ts';
import { type ArchiveKind, readArchivePartition } from './records/archive-keys.ts';

/** A message to the exporter: an export or a package with work left (rules/exports.md#steps). */
export const ExportMessage = z.object({
  org: OrganizationId,
  id: z.string(),
  kind: z.enum(['export', 'package']).default('export'),
  requests: Requests,
});

export const exportMessage = (
  org: OrganizationId,
  id: Id,
  kind: ArchiveKind = 'export',
  requests: readonly string[] = [],
): QueueMessage => ({
  body: { org, id, ...(kind !== 'export' && { kind }), requests },
  group: org,
});

/**
 * Reads an export or a package that was started; null for other items. Workers store their steps in the same item, with an
 * owner.
 */
export function readStartedExport(streamed: StreamItem): { org: OrganizationId; id: Id; kind: ArchiveKind } | null {
  const found = streamed.isNull('owner') ? readArchivePartition(streamed.pk) : null;
  return found && { ...found, id: streamed.sk };
}
