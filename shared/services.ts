import type { Queue } from '#shared/base/queue.ts';
import type { Clock } from '#shared/base/time.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import type { Engines } from '#shared/engines/engines.ts';
import type { PolicyEngine } from '#shared/evaluations/policy-engine.ts';
import type { AddressGuard } from '#shared/outgoing/address-guard.ts';
import type { Mailer } from '#shared/outgoing/mail.ts';
import type { Table } from '#shared/table/table.ts';

/** What handlers are given: the table, the evidence bucket, the engines for what callers wrote, the clock. */
export interface Services {
  table: Table;
  objects: Objects;
  engines: Engines;
  policies: PolicyEngine;
  clock: Clock;
  /** Says which addresses targets of notifications may have. */
  guard: AddressGuard;
}

/** What evaluations are made with: a decision is recorded as any attestation is. */
export type EvaluatorServices = Services;

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
