import type { Engines } from './engines/engines.ts';
import type { AddressGuard } from './outgoing/address-guard.ts';
import type { Mailer } from './outgoing/mail.ts';
import type { Queue } from './queue.ts';
import type { Objects } from './store/objects.ts';
import type { Table } from './store/table.ts';
import type { Clock } from './time.ts';

/** What handlers are given: the table, the evidence bucket, the engines for caller-written programs, the clock. */
export interface Services {
  table: Table;
  objects: Objects;
  engines: Engines;
  clock: Clock;
  /** Says which addresses targets of notifications may have. */
  guard: AddressGuard;
}

/** What the relay is given: where events are, and the queue of what is to be told of them. */
export interface RelayServices extends Pick<Services, 'table' | 'clock'> {
  deliveries: Queue;
}

/** What the notifier is given: it alone reaches the outside. */
export interface NotifierServices extends RelayServices, Pick<Services, 'guard'> {
  mailer: Mailer;
  /** Scheme and authority that addresses of the service begin with, in what is sent. */
  host: string;
}
