import * as z from 'zod';
import type { EnvironmentId, Id, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { readBody } from '#shared/bodies/bodies.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { AllowedItem } from '#shared/environments/records/environment-records.ts';
import { readEnvironmentNames } from '#shared/environments/records/environments.ts';
import type { EventsOf, RowEvent } from '#shared/environments/records/event-items.ts';
import {
  allowedNotice,
  type EnvironmentPlace,
  firedNotice,
  type Provenance,
} from '#shared/environments/rules/environment-notices.ts';
import type { FiredTrigger } from '#shared/environments/rules/transitions.ts';
import type { ArtifactRecord } from '#shared/evidence/records/artifact-records.ts';
import { deliver, deliveriesTo, inForce } from '#shared/notifications/deliver.ts';
import { type ActionVersions, readActions } from '#shared/notifications/records/actions.ts';
import { readEventNames } from '#shared/notifications/records/event-names.ts';
import type { ActionRecord, Delivery } from '#shared/notifications/rules/records.ts';
import { matches } from '#shared/notifications/rules/triggers.ts';
import type { DeliveryServices } from '#shared/notifications/services.ts';

const Facts = z.object({ commit_url: z.string(), build_url: z.string() });

/** The notifications of an environment as they were in force at an instant, in microseconds. */
const notificationsOf = (actions: readonly ActionVersions[], environment: EnvironmentId, at: Micros): ActionRecord[] =>
  actions
    .flatMap((action) => inForce(action, at))
    .filter(({ kind, environments }) => kind === 'env' && environments.includes(environment));

/**
 * Computes the deliveries for the triggers that a snapshot fired (rules/notifications.md#environment-triggers). Repeated
 * calls give the same deliveries with the same ids.
 */
export async function firedDeliveries(
  services: DeliveryServices & Pick<Stores, 'objects'>,
  { org, environment, snapshot }: EventsOf,
  fired: readonly FiredTrigger<RowEvent['row']>[],
  actions: readonly ActionVersions[],
  reports: ReadonlyMap<Id, ArtifactRecord>,
): Promise<Delivery[]> {
  const { at } = snapshot;
  const notifications = notificationsOf(actions, environment.id, at);
  const wanted = fired.filter((one) =>
    notifications.some((action) => matches(action, one, { environment: environment.id }, at)),
  );
  if (wanted.length === 0) return [];
  const names = await readEventNames(services.table, org, []);
  const place: EnvironmentPlace = { org: names.org, environment };
  const now = services.clock.now();
  const due = await Promise.all(
    wanted.map(async (one): Promise<Delivery[]> => {
      const provenance = one.event && (await readArtifactProvenance(services, org, one.event, reports));
      const notice = firedNotice(place, snapshot, one, provenance);
      return notifications
        .filter((action) => matches(action, notice, { environment: environment.id }, at))
        .flatMap((action) => deliveriesTo(action, notice, now, snapshot.request));
    }),
  );
  return due.flat();
}

/** Reads where an artifact came from: its report in the primary flow; null without one. */
async function readArtifactProvenance(
  { objects }: Pick<Stores, 'objects'>,
  org: OrganizationId,
  { row }: RowEvent,
  reports: ReadonlyMap<Id, ArtifactRecord>,
): Promise<Provenance | null> {
  const [primary] = row.flows;
  const report = primary && reports.get(primary.report);
  if (!primary || !report) return null;
  const text = await readBody(objects, org, report.facts);
  const facts = text === null ? { commit_url: '', build_url: '' } : Facts.parse(JSON.parse(text));
  const { name: flow, compliant } = primary;
  return { flow, compliant, commit: report.commit, commitUrl: facts.commit_url, buildUrl: facts.build_url };
}

/** Creates and queues the deliveries for new entries of allow-lists. */
export async function deliverAllowed(services: DeliveryServices, org: OrganizationId, entries: readonly AllowedItem[]) {
  const actions = await readActions(services.table, org);
  await deliver(services, org, await allowedDeliveries(services, org, entries, actions));
}

/** Computes the deliveries for new entries of allow-lists. Repeated calls give the same deliveries with the same ids. */
export async function allowedDeliveries(
  { table, clock }: DeliveryServices,
  org: OrganizationId,
  entries: readonly AllowedItem[],
  actions: readonly ActionVersions[],
): Promise<Delivery[]> {
  const wanted = entries.flatMap((entry) =>
    notificationsOf(actions, entry.environment, entry.at)
      .filter((action) =>
        matches(action, { trigger: 'ON_ALLOWED_ARTIFACT' }, { environment: entry.environment }, entry.at),
      )
      .map((action) => ({ entry, action })),
  );
  if (wanted.length === 0) return [];
  const [names, environments] = await Promise.all([
    readEventNames(table, org, []),
    readEnvironmentNames(
      table,
      org,
      wanted.map(({ entry }) => entry.environment),
    ),
  ]);
  const now = clock.now();
  return wanted.flatMap(({ entry, action }) => {
    const name = environments.get(entry.environment);
    if (name === undefined) throw new Error(`The environment ${entry.environment} of an allow-list does not exist`);
    const { index, state } = entry;
    const place = { org: names.org, environment: { id: entry.environment, name } };
    const notice = allowedNotice(place, entry, index === 0 ? null : { index, state });
    return deliveriesTo(action, notice, now, entry.request);
  });
}
