import type { ServerResponse } from 'node:http';
import { firstIdAt, type OrganizationId } from '#shared/base/ids.ts';
import { type Micros, plus } from '#shared/base/time.ts';
import { EVENT_SERIES, settledEvents } from '#shared/evidence/events/settled-events.ts';
import { attemptDelivery, type Notifier } from '#shared/notifications/attempt-delivery.ts';
import { deliveriesOf } from '#shared/notifications/deliver.ts';
import { HealthWriter, type TargetRef } from '#shared/notifications/health-writer.ts';
import { createDeliveries, readDelivery } from '#shared/notifications/records/deliveries.ts';
import type { Delivery } from '#shared/notifications/rules/records.ts';
import type { NotifierServices } from '#shared/notifications/services.ts';
import { startServer } from '../http.ts';
import { freePort } from '../ports.ts';
import { DEMO_ORGANIZATION as ORG } from './people.ts';
import type { Setting } from './setting.ts';
import type { WalkingClock } from './walking-clock.ts';

/** Hours before the present at which the actions are created. */
export const ACTIONS_SINCE = 74;
/** More events than the demo data has since then. */
const MOST_EVENTS = 1_000;

/** Targets on this machine: a chat that answers 410, and a port where nobody listens. */
export interface DemoTargets {
  chat: string;
  silent: string;
  stop(): Promise<void>;
}

/** Starts the targets. They are needed during the load only. */
export async function startTargets(): Promise<DemoTargets> {
  const gone = async (_: unknown, response: ServerResponse) => response.writeHead(410).end();
  const { endpoint, stop } = await startServer(gone, (_, response) => void response.destroy());
  return {
    chat: `${endpoint}/channels/releases`,
    silent: `http://127.0.0.1:${await freePort()}/deployments`,
    stop,
  };
}

/** Adds the actions of the organization. */
export function addActions({ script, keys }: Setting, { chat, silent }: DemoTargets): void {
  const save = (path: string, json: object) =>
    script.add(ACTIONS_SINCE, [], (client) => client.send(keys.bob, 'PUT', path, { json }));
  const saveAction = (name: string, flows: string[], trigger: string, target: object) =>
    save(`/actions/${ORG}/flows`, { type: 'flow', name, flows, triggers: [trigger], targets: [target] });
  const mail = { type: 'EMAIL', emails: ['releases@webshop.example'] };
  saveAction('release-desk', ['payments'], 'ON_STARTED_TRAIL', mail);
  saveAction('deployment-tracker', [], 'ON_ATTESTED_PROVENANCE', { type: 'WEBHOOK', webhook: silent });
  saveAction('team-chat', [], 'ON_STARTED_TRAIL', { type: 'CHAT', webhook: chat });
  const notification = { type: 'env', environments: ['prod'], triggers: ['ON_NON_COMPLIANT_ENV'], targets: [mail] };
  save(`/organizations/${ORG}/environments_notifications`, { name: 'prod-is-red', ...notification });
}

/**
 * Creates the deliveries of the events since an instant and makes their attempts, each at the time at which relay and
 * notifier would have made it. Attempts after the present are left to the stack.
 *
 * @param clock goes back to no earlier time, so it is a clock of its own
 */
export async function deliverSince(
  org: OrganizationId,
  since: Micros,
  present: Micros,
  services: NotifierServices,
  clock: WalkingClock,
): Promise<void> {
  const { table } = services;
  const found = await Promise.all(
    EVENT_SERIES.map((series) => settledEvents(table, org, series, firstIdAt(since), present, MOST_EVENTS)),
  );
  const moments = found.flatMap((events) => events.moments).sort((one, other) => one.at - other.at);
  const attempts = new Attempts(org, services, clock);
  for (const moment of moments) {
    await attempts.makeDue(moment.at);
    clock.walkTo(moment.at);
    const due = await deliveriesOf(table, org, [moment], clock.now());
    for (const delivery of await createDeliveries(table, org, due)) await attempts.make(delivery);
  }
  await attempts.makeDue(present);
}

/** The attempts of deliveries, in the order of their times. */
class Attempts {
  readonly #org: OrganizationId;
  readonly #clock: WalkingClock;
  readonly #notifier: Notifier;
  readonly #pending = new Map<string, Delivery>();

  constructor(org: OrganizationId, services: NotifierServices, clock: WalkingClock) {
    this.#org = org;
    this.#clock = clock;
    const time = {
      elapsed: () => clock.now() / 1000,
      sleep: async (millis: number) => clock.walkTo(plus(clock.now(), millis * 1000)),
    };
    this.#notifier = { services, health: new HealthWriter(time), random: () => 0.5 };
  }

  /** Makes the attempts that are due before an instant. */
  async makeDue(until: Micros): Promise<void> {
    for (let next = this.#earliest(); next && next.due < until; next = this.#earliest()) {
      this.#clock.walkTo(next.due);
      await this.make(next);
    }
  }

  #earliest(): Delivery | undefined {
    return [...this.#pending.values()].sort((one, other) => one.due - other.due)[0];
  }

  async make({ id, action, attempts }: Delivery): Promise<void> {
    const { table } = this.#notifier.services;
    const targets: TargetRef[] = [];
    const message = { org: this.#org, action, delivery: id, attempts };
    await attemptDelivery(this.#notifier, message, false, (ref) => targets.push(ref));
    await this.#notifier.health.flush(table, targets);
    const after = await readDelivery(table, this.#org, action, id);
    if (after?.state === 'pending') this.#pending.set(id, after);
    else this.#pending.delete(id);
  }
}
