import * as z from 'zod';
import type { EnvironmentId, Id, OrganizationId } from '#shared/base/ids.ts';
import { readBody } from '#shared/bodies/bodies.ts';
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
import type { Services } from '#shared/http/services.ts';
import { deliver, deliveriesTo, inForce } from '#shared/notifications/deliver.ts';
import { type ActionVersions, readActions } from '#shared/notifications/records/actions.ts';
import { readEventNames } from '#shared/notifications/records/event-names.ts';
import type { ActionRecord, Delivery } from '#shared/notifications/rules/records.ts';
import { matches } from '#shared/notifications/rules/triggers.ts';
import type { DeliveryServices } from '#shared/notifications/services.ts';

/** What the report of an artifact says for those who are told of it. */
const Facts = z.object({ commit_url: z.string(), build_url: z.string() });

/** The notifications that wait for what happens in an environment, as they were at an instant. */
const waiting = (actions: readonly ActionVersions[], environment: EnvironmentId, at: number): ActionRecord[] =>
  actions
    .flatMap((action) => inForce(action, at))
    .filter(({ kind, environments }) => kind === 'env' && environments.includes(environment));

/** What the targets of an environment's notifications are owed for a snapshot (semantics §10.2): the same each time. */
export async function firedDeliveries(
  services: DeliveryServices & Pick<Services, 'objects'>,
  { org, environment, snapshot }: EventsOf,
  fired: readonly FiredTrigger<RowEvent['row']>[],
  actions: readonly ActionVersions[],
  reports: ReadonlyMap<Id, ArtifactRecord>,
): Promise<Delivery[]> {
  const { at } = snapshot;
  const those = waiting(actions, environment.id, at);
  const heard = fired.filter((one) => those.some((action) => matches(action, one, environment.id, at)));
  if (heard.length === 0) return [];
  const names = await readEventNames(services.table, org, []);
  const place: EnvironmentPlace = { org: names.org, environment };
  const now = services.clock.now();
  const due = await Promise.all(
    heard.map(async (one): Promise<Delivery[]> => {
      const provenance = one.event && (await provenanceOf(services, org, one.event, reports));
      const notice = firedNotice(place, snapshot, one, provenance);
      return those
        .filter((action) => matches(action, notice, environment.id, at))
        .flatMap((action) => deliveriesTo(action, notice, now));
    }),
  );
  return due.flat();
}

/** Where an artifact came from: by its report in the flow that had it first. */
async function provenanceOf(
  { objects }: Pick<Services, 'objects'>,
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

/** Tells of artifacts that were put on the allow-list of an environment. */
export async function tellAllowed(
  services: DeliveryServices,
  org: OrganizationId,
  entries: readonly AllowedItem[],
): Promise<void> {
  const actions = await readActions(services.table, org);
  await deliver(services, org, await allowedDeliveries(services, org, entries, actions));
}

/** The deliveries that new entries of allow-lists are owed to: the same whoever computes them. */
export async function allowedDeliveries(
  { table, clock }: DeliveryServices,
  org: OrganizationId,
  entries: readonly AllowedItem[],
  actions: readonly ActionVersions[],
): Promise<Delivery[]> {
  const heard = entries.flatMap((entry) =>
    waiting(actions, entry.environment, entry.at)
      .filter((action) => matches(action, { trigger: 'ON_ALLOWED_ARTIFACT' }, entry.environment, entry.at))
      .map((action) => ({ entry, action })),
  );
  if (heard.length === 0) return [];
  const [names, environments] = await Promise.all([
    readEventNames(table, org, []),
    readEnvironmentNames(
      table,
      org,
      heard.map(({ entry }) => entry.environment),
    ),
  ]);
  const now = clock.now();
  return heard.flatMap(({ entry, action }) => {
    const name = environments.get(entry.environment);
    if (name === undefined) throw new Error(`There is no environment ${entry.environment}`);
    const { index, state } = entry;
    const place = { org: names.org, environment: { id: entry.environment, name } };
    return deliveriesTo(action, allowedNotice(place, entry, index === 0 ? null : { index, state }), now);
  });
}
