import type { Services } from '#shared/http/services.ts';
import type { Mailer } from '#shared/outgoing/mail.ts';
import type { Queue } from '#shared/queues/queue.ts';

/** What deliveries are made and sent with. */
export interface DeliveryServices extends Pick<Services, 'table' | 'clock'> {
  deliveries: Queue;
}

/** What the relay is given: where events are, and the queues of what is to be done about them. */
export interface RelayServices extends DeliveryServices, Pick<Services, 'objects'> {
  evaluations: Queue;
}

/** What the notifier is given: it alone reaches the outside. */
export interface NotifierServices extends DeliveryServices, Pick<Services, 'guard'> {
  mailer: Mailer;
  /** Scheme and authority that addresses of the service begin with, in what is sent. */
  host: string;
}
