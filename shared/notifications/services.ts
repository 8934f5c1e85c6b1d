import type { Services } from '#shared/http/services.ts';
import type { Mailer } from '#shared/outgoing/mail.ts';
import type { Queue } from '#shared/queues/queue.ts';

/** Services that create deliveries and send their messages. */
export interface DeliveryServices extends Pick<Services, 'table' | 'clock'> {
  deliveries: Queue;
}

/** Services of the notifier, the only function that sends requests to targets. */
export interface NotifierServices extends DeliveryServices, Pick<Services, 'guard'> {
  mailer: Mailer;
  /** Scheme and authority of the service's own addresses, for links in messages. */
  host: string;
}
