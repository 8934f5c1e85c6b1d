import type { OrganizationId } from '#shared/base/ids.ts';
import type { QueueMessage } from '#shared/queues/queue.ts';
import type { StreamItem } from '#shared/table/stream-item.ts';
import { deliveryToSend } from './records/deliveries.ts';
import { readDeliveryPartition } from './records/keys.ts';
import type { Delivery, DeliveryMessage } from './rules/records.ts';
import type { DeliveryServices } from './services.ts';

/** A delivery that is due for an attempt. */
type DueAttempt = Pick<Delivery, 'id' | 'action' | 'attempts'>;

/**
 * Makes the message that asks the notifier for the next attempt of a delivery. Its group is the organization, so that one with many
 * targets or many deliveries does not delay the others (`rules/storage.md#queues`).
 * @param delaySeconds whole seconds for which the queue holds the message back
 */
export function deliveryMessage(
  org: OrganizationId,
  { id, action, attempts }: DueAttempt,
  delaySeconds?: number,
): QueueMessage {
  const body: DeliveryMessage = { org, action, delivery: id, attempts };
  return { body, group: org, ...(delaySeconds !== undefined && { delaySeconds }) };
}

/** A delivery that an endpoint created or put back and that the relay has to send. */
interface RequestedDelivery {
  org: OrganizationId;
  delivery: Delivery;
}

/** Reads a delivery to send that the stream brought; null for other items. @throws ZodError if it does not fit its schema */
export function readRequestedDelivery(streamed: StreamItem): RequestedDelivery | null {
  // Most items of deliveries are not to be sent, so they are skipped before they are converted.
  const found = streamed.has('toSend') ? readDeliveryPartition(streamed.pk) : null;
  const delivery = found && deliveryToSend(streamed.item);
  return delivery && { org: found.org, delivery };
}

/**
 * Sends the messages of deliveries that endpoints wrote. Endpoints send no messages themselves
 * (`rules/notifications.md#no-send-from-a-request`).
 */
export const sendRequested = (
  { deliveries }: DeliveryServices,
  requested: readonly RequestedDelivery[],
): Promise<void> => deliveries.send(requested.map(({ org, delivery }) => deliveryMessage(org, delivery)));
