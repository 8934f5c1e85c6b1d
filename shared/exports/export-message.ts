import * as z from 'zod';
import { type Id, OrganizationId } from '#shared/base/ids.ts';
import type { QueueMessage } from '#shared/queues/queue.ts';
import type { StreamItem } from '#shared/table/stream-item.ts';
import { readExportPartition } from './records/keys.ts';

/** A message to the exporter: an export with work left (rules/exports.md#steps). */
export const ExportMessage = z.object({ org: OrganizationId, id: z.string() });

export const exportMessage = (org: OrganizationId, id: Id): QueueMessage => ({ body: { org, id }, group: org });

/** Reads an export that was started; null for other items. Workers store their steps in the same item, with an owner. */
export function readStartedExport(streamed: StreamItem): { org: OrganizationId; id: Id } | null {
  const org = streamed.isNull('owner') ? readExportPartition(streamed.pk) : null;
  return org && { org, id: streamed.sk };
}
