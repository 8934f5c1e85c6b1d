import type { OrganizationId } from '#shared/base/ids.ts';
import type { QueueMessage } from '#shared/queues/queue.ts';
import type { Delivery, DeliveryMessage } from './rules/records.ts';

/** A delivery that is due for an attempt. An entry of the list of due deliveries does not have the target. */
type DueAttempt = Pick<Delivery, 'id' | 'action' | 'attempts'> & { target?: Pick<Delivery['target'], 'key'> };

/**
 * Makes the message that asks the notifier for the next attempt of a delivery. Its group is the target, so that a
 * target with many deliveries does not delay the others (`rules/notifications.md#attempts`).
 * @param delaySeconds whole seconds for which the queue holds the message back
 */
export function deliveryMessage(
  org: OrganizationId,
  { id, action, attempts, target }: DueAttempt,
  delaySeconds?: number,
): QueueMessage {
  const body: DeliveryMessage = { org, action, delivery: id, attempts };
  const group = [org, action, ...(target ? [target.key] : [])].join(':');
  return { body, group, ...(delaySeconds !== undefined && { delaySeconds }) };
}
