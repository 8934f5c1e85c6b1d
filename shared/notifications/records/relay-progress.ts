import * as z from 'zod';
import { type EnvironmentId, firstIdAt, type Id, type OrganizationId, storedId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { ARTIFACTS } from '#shared/evidence/records/artifact-records.ts';
import { ATTESTATIONS } from '#shared/evidence/records/attestation-records.ts';
import { sequence } from '#shared/table/keys.ts';
import type { Table, Write } from '#shared/table/table.ts';
import { notifiedOrganizationKey, notifiedOrganizations, relayedKey } from './keys.ts';

/**
 * How far the sweeps have checked the events of an organization for deliveries that the stream did not bring
 * (`rules/notifications.md#lost-events`).
 */

/** The time series of events. Each event of a flow that a trigger can match has an entry in exactly one of them. */
export const EVENT_SERIES = ['trails', ATTESTATIONS, ARTIFACTS] as const;
export type EventSeries = (typeof EVENT_SERIES)[number];
/** What the sweeps read in the order of time: series of events, the audit log, and evaluations. */
export type SweptSeries = EventSeries | 'audit' | 'evaluations';

const Notified = z.object({ sk: z.string(), since: z.number() });
const Relayed = z.object({ upTo: z.string() });

export interface NotifiedOrganization {
  org: OrganizationId;
  /** When its first action was created. Earlier events have no deliveries. */
  since: Micros;
}

/** Reads the organizations that have or had an action. */
export async function readNotifiedOrganizations(table: Table): Promise<NotifiedOrganization[]> {
  const items = await table.query({ pk: notifiedOrganizations });
  return items.map((item) => Notified.parse(item)).map(({ sk, since }) => ({ org: storedId(sk), since }));
}

/** Reads when the first action of an organization was created; null if it never had an action. */
export async function readNotifiedSince(table: Table, org: OrganizationId): Promise<Micros | null> {
  const item = await table.get(notifiedOrganizationKey(org));
  return item ? Notified.parse(item).since : null;
}

/**
 * Reads how far the sweep has checked a series.
 * @returns the id up to which, inclusive, all entries were checked
 */
export async function readSeriesProgress(
  table: Table,
  { org, since }: NotifiedOrganization,
  series: SweptSeries,
): Promise<Id> {
  const item = await table.get(relayedKey(org, series));
  return item ? Relayed.parse(item).upTo : firstIdAt(since);
}

/**
 * Stores how far the sweep has checked a series.
 * @param from the id that the sweep read before it checked
 * @param upTo the id up to which, inclusive, all entries are checked now
 * @returns false if another sweep or an operator has changed the stored id since; then nothing is written
 */
export const saveSeriesProgress = (
  table: Table,
  org: OrganizationId,
  series: SweptSeries,
  from: Id,
  upTo: Id,
): Promise<boolean> =>
  table.update(relayedKey(org, series), {
    UpdateExpression: 'SET #v = :v, upTo = :to',
    ConditionExpression: 'attribute_not_exists(pk) OR upTo = :from',
    ExpressionAttributeNames: { '#v': 'v' },
    ExpressionAttributeValues: { ':v': 1, ':to': upTo, ':from': from },
  });

/**
 * Moves the progress of a series back, so that the sweep checks its events since an instant again
 * (`rules/storage.md#replay`).
 * @returns false if the sweep has not come as far as the instant; then nothing is written
 */
export const rewindSeries = (table: Table, org: OrganizationId, series: SweptSeries, since: Micros): Promise<boolean> =>
  table.update(relayedKey(org, series), {
    UpdateExpression: 'SET upTo = :to',
    ConditionExpression: 'attribute_exists(pk) AND upTo > :to',
    ExpressionAttributeValues: { ':to': firstIdAt(since) },
  });

/**
 * Sort keys of environments that are replayed begin with this. The item exists only while the replay is not complete.
 */
const ENVIRONMENT = 'environment:';

/**
 * Starts a replay of an environment's events, from the snapshots after `index` on.
 * @param index number of a snapshot; 0 = all snapshots are replayed
 * @returns false if a replay from this snapshot or an earlier one is under way; then nothing is written
 */
export const rewindEnvironment = (
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  index: number,
): Promise<boolean> =>
  table.update(relayedKey(org, ENVIRONMENT + environment), {
    UpdateExpression: 'SET #v = :v, upTo = :to',
    ConditionExpression: 'attribute_not_exists(pk) OR upTo > :to',
    ExpressionAttributeNames: { '#v': 'v' },
    ExpressionAttributeValues: { ':v': 1, ':to': sequence(index) },
  });

/** An environment whose events are replayed. */
export interface RewoundEnvironment {
  environment: EnvironmentId;
  /** Number of the snapshot up to which the replay has come, inclusive. */
  upTo: number;
}

/** Reads the environments of an organization whose replay is not complete. */
export async function readRewoundEnvironments(table: Table, org: OrganizationId): Promise<RewoundEnvironment[]> {
  const { pk } = relayedKey(org, ENVIRONMENT);
  const items = await table.query({ pk, prefix: ENVIRONMENT });
  return items.map((item) => ({
    environment: storedId(item.sk.slice(ENVIRONMENT.length)),
    upTo: Number(Relayed.parse(item).upTo),
  }));
}

/**
 * Stores how far the replay of an environment has come.
 * @param upTo number of the snapshot up to which, inclusive, the events were replayed; null = the replay is complete
 * @returns false if an operator has moved the replay back since it was read; then nothing is written
 */
export async function saveRewoundProgress(
  table: Table,
  org: OrganizationId,
  { environment, upTo: from }: RewoundEnvironment,
  upTo: number | null,
): Promise<boolean> {
  const key = relayedKey(org, ENVIRONMENT + environment);
  const asRead = {
    ConditionExpression: 'upTo = :from',
    ExpressionAttributeValues: { ':from': sequence(from) },
    refused: () => 'moved' as const,
  };
  const write = upTo === null ? { remove: key, ...asRead } : { put: { ...key, v: 1, upTo: sequence(upTo) }, ...asRead };
  return (await table.write(write)) === 'done';
}

/** Sort keys of the newest lost snapshots that were logged begin with this. */
const LOST = 'lost:';

/**
 * Notes that the snapshots of an environment up to a number were logged as lost.
 * @returns false if they were before: the sweep sends their message again, but the alarm is raised once
 */
export const noteLost = (
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  upTo: number,
): Promise<boolean> =>
  table.update(relayedKey(org, LOST + environment), {
    UpdateExpression: 'SET #v = :v, upTo = :to',
    ConditionExpression: 'attribute_not_exists(pk) OR upTo < :to',
    ExpressionAttributeNames: { '#v': 'v' },
    ExpressionAttributeValues: { ':v': 1, ':to': sequence(upTo) },
  });

/** Sort keys of archived environments begin with this. The item exists until all their snapshots are expanded. */
const ARCHIVED = 'archived:';

/**
 * The write that makes the sweep expand the remaining snapshots of an archived environment. The catalogue, where the
 * sweep finds the other environments, does not list archived ones.
 */
export const archivedEnvironmentWrite = (org: OrganizationId, environment: EnvironmentId): Write => ({
  put: { ...relayedKey(org, ARCHIVED + environment), v: 1 },
});

/** Reads the archived environments that still have snapshots to expand. */
export async function readArchivedEnvironments(table: Table, org: OrganizationId): Promise<EnvironmentId[]> {
  const { pk } = relayedKey(org, ARCHIVED);
  return (await table.query({ pk, prefix: ARCHIVED })).map(({ sk }) => storedId(sk.slice(ARCHIVED.length)));
}

/** Removes an archived environment from the list, after its last snapshot was expanded. */
export const forgetArchivedEnvironment = async (
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
): Promise<void> => {
  await table.write({ remove: relayedKey(org, ARCHIVED + environment) });
};
