import type { OrganizationId } from '#shared/base/ids.ts';
import type { QueueMessage } from '#shared/queues/queue.ts';
import type { Delivery, DeliveryMessage } from './rules/records.ts';

/** What is known of a delivery whose attempt is asked for; the target is unknown where it was found by its due time. */
type Asked = Pick<Delivery, 'id' | 'action' | 'attempts'> & { target?: Pick<Delivery['target'], 'key'> };

/**
 * The message that asks for the next attempt of a delivery. Its group is the target, so that a target with many
 * deliveries does not make the others wait (design §6).
 * @param delaySeconds whole seconds that the queue is to hold it back
 */
export function deliveryMessage(
  org: OrganizationId,
  { id, action, attempts, target }: Asked,
  delaySeconds?: number,
): QueueMessage {
  const body: DeliveryMessage = { org, action, delivery: id, attempts };
  const group = [org, action, ...(target ? [target.key] : [])].join(':');
  return { body, group, ...(delaySeconds !== undefined && { delaySeconds }) };
}
