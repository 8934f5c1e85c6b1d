import type { Stores } from '#shared/bodies/stores.ts';
import type { AddressGuard } from '#shared/outgoing/address-guard.ts';
import type { Mailer } from '#shared/outgoing/mail.ts';
import type { Queue } from '#shared/queues/queue.ts';

/** Services that create deliveries and send their messages. */
export interface DeliveryServices extends Pick<Stores, 'table' | 'clock'> {
  deliveries: Queue;
}

/** Services of the notifier, the only function that sends requests to targets. */
export interface NotifierServices extends DeliveryServices {
  guard: AddressGuard;
  mailer: Mailer;
  /** Scheme and authority of the service's own addresses, for links in messages. */
  host: string;
}
