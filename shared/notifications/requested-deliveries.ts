import type { OrganizationId } from '#shared/base/ids.ts';
import type { StreamItem } from '#shared/table/stream-item.ts';
import { deliveryMessage } from './messages.ts';
import { deliveryToSend } from './records/deliveries.ts';
import { readDeliveryPartition } from './records/keys.ts';
import type { Delivery } from './rules/records.ts';
import type { DeliveryServices } from './services.ts';

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
