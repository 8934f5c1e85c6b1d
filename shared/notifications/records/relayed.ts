import * as z from 'zod';
import {
  type EnvironmentId,
  FlowId,
  firstIdAt,
  type Id,
  type OrganizationId,
  storedId,
  timeOfId,
} from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { ARTIFACTS, ArtifactRecord } from '#shared/evidence/records/artifact-records.ts';
import { ATTESTATIONS, AttestationRecord } from '#shared/evidence/records/attestation-records.ts';
import { artifactKey, attestationKey, momentKey } from '#shared/evidence/records/keys.ts';
import { type Moment, readMoment } from '#shared/evidence/records/moments.ts';
import { notifiedOrganizationKey, notifiedOrganizations } from '#shared/notifications/records/keys.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import { firstEntries, monthsBetween, type SeriesEntry } from '#shared/series/series-entries.ts';
import { sequence } from '#shared/table/keys.ts';
import { type Key, keyText, type Table, type Write } from '#shared/table/table.ts';
import { relayedKey } from './keys.ts';

/**
 * How far the events of an organization were relayed to targets, by the time series that every event has an entry in:
 * what has settled beyond that and was not relayed is what the stream lost (design §2.7).
 */

/** Every event that anybody is told of begins a trail, or is an attestation or the report of an artifact. */
export const EVENT_SERIES = ['trails', ATTESTATIONS, ARTIFACTS] as const;
export type EventSeries = (typeof EVENT_SERIES)[number];

const Notified = z.object({ sk: z.string(), since: z.number() });
const Relayed = z.object({ upTo: z.string() });

export interface NotifiedOrganization {
  org: OrganizationId;
  /** When it got its first action: nobody waits for what happened before. */
  since: Micros;
}

/** Organizations that ever had an action. */
export async function readNotifiedOrganizations(table: Table): Promise<NotifiedOrganization[]> {
  const items = await table.query({ pk: notifiedOrganizations });
  return items.map((item) => Notified.parse(item)).map(({ sk, since }) => ({ org: storedId(sk), since }));
}

/** Since when somebody waits for the organization's events; null where nobody ever did. */
export async function readNotifiedSince(table: Table, org: OrganizationId): Promise<Micros | null> {
  const item = await table.get(notifiedOrganizationKey(org));
  return item ? Notified.parse(item).since : null;
}

/** The id up to which a series was relayed, that id included. */
export async function readRelayed(
  table: Table,
  { org, since }: NotifiedOrganization,
  series: EventSeries,
): Promise<Id> {
  const item = await table.get(relayedKey(org, series));
  return item ? Relayed.parse(item).upTo : firstIdAt(since);
}

/**
 * Notes that a series was relayed further.
 * @param from what was read before
 * @returns false where another sweep, or an operator, set it meanwhile
 */
export const noteRelayed = (
  table: Table,
  org: OrganizationId,
  series: EventSeries,
  from: Id,
  upTo: Id,
): Promise<boolean> =>
  table.update(relayedKey(org, series), {
    UpdateExpression: 'SET #v = :v, upTo = :to',
    ConditionExpression: 'attribute_not_exists(pk) OR upTo = :from',
    ExpressionAttributeNames: { '#v': 'v' },
    ExpressionAttributeValues: { ':v': 1, ':to': upTo, ':from': from },
  });

/** Has the events of a series since an instant relayed again. @returns false where they are still to be relayed */
export const rewindRelayed = (
  table: Table,
  org: OrganizationId,
  series: EventSeries,
  since: Micros,
): Promise<boolean> =>
  table.update(relayedKey(org, series), {
    UpdateExpression: 'SET upTo = :to',
    ConditionExpression: 'attribute_exists(pk) AND upTo > :to',
    ExpressionAttributeValues: { ':to': firstIdAt(since) },
  });

/** Notes of environments begin so; they are there only while somebody waits for their events once more. */
const ENVIRONMENT = 'environment:';

/**
 * Has the events of an environment's snapshots after one relayed again.
 * @param index 0 = those of all
 * @returns false where they are still to be relayed
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

/** Events of an environment that are to be relayed again. */
export interface RewoundEnvironment {
  environment: EnvironmentId;
  /** They were relayed again up to this snapshot. */
  upTo: number;
}

export async function readRewound(table: Table, org: OrganizationId): Promise<RewoundEnvironment[]> {
  const { pk } = relayedKey(org, ENVIRONMENT);
  const items = await table.query({ pk, prefix: ENVIRONMENT });
  return items.map((item) => ({
    environment: storedId(item.sk.slice(ENVIRONMENT.length)),
    upTo: Number(Relayed.parse(item).upTo),
  }));
}

/**
 * Notes how far the events of an environment were relayed again.
 * @param upTo null: to the end
 * @returns false where an operator set it back meanwhile
 */
export async function noteRewound(
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

/** Notes of archived environments begin so; they are there until all their snapshots were expanded. */
const ARCHIVED = 'archived:';

/** Has the sweep look after an environment that it no longer finds in the catalogue. */
export const archivedBehind = (org: OrganizationId, environment: EnvironmentId): Write => ({
  put: { ...relayedKey(org, ARCHIVED + environment), v: 1 },
});

/** Archived environments whose snapshots were not all expanded. */
export async function readArchivedBehind(table: Table, org: OrganizationId): Promise<EnvironmentId[]> {
  const { pk } = relayedKey(org, ARCHIVED);
  return (await table.query({ pk, prefix: ARCHIVED })).map(({ sk }) => storedId(sk.slice(ARCHIVED.length)));
}

/** Ends the looking after an archived environment: nothing comes after its last snapshot. */
export const forgetArchived = async (table: Table, org: OrganizationId, environment: EnvironmentId): Promise<void> => {
  await table.write({ remove: relayedKey(org, ARCHIVED + environment) });
};

export interface SettledEvents {
  moments: Moment[];
  /** Up to here, this id included, all settled events of the series were found. */
  upTo: Id;
  /** Whether more may have settled beyond. */
  more: boolean;
  /** Entries without their event: they broke the rule that both are one transaction. */
  orphans: Id[];
}

/** The settled events of a series after an id, oldest first, at most `limit`: three round trips. */
export async function settledEvents(
  table: Table,
  org: OrganizationId,
  series: EventSeries,
  after: Id,
  now: Micros,
  limit: number,
): Promise<SettledEvents> {
  const horizon = firstIdAt(now - SETTLING_MICROS);
  // Every month since then: the relay may have been away, so that its notes of months cannot be relied on.
  const months = monthsBetween(timeOfId(after), now);
  const found = await firstEntries(table, org, series, months, after, limit + 1);
  const entries = found.filter(({ id }) => id > after && id < horizon).slice(0, limit);
  const keys = await momentKeys(table, org, series, entries);
  const items = await table.getMany([...keys.values()]);
  const orphans: Id[] = [];
  const moments = entries.flatMap(({ id }) => {
    const key = keys.get(id);
    const item = key && items.get(keyText(key));
    if (!item) orphans.push(id);
    return item ? [readMoment(item)] : [];
  });
  const last = entries.at(-1);
  const more = last !== undefined && entries.length === limit;
  // Nothing that settled lies between the last entry and the horizon: the next look may begin there.
  return { moments, orphans, more, upTo: more ? last.id : later(after, horizon) };
}

const later = (one: Id, other: Id): Id => (one > other ? one : other);

const TrailEntry = z.object({ f: FlowId, t: z.string() });
const RecordEntry = z.object({ r: z.string() });

/** The keys of the moments that entries stand for, by the entries' ids. */
async function momentKeys(
  table: Table,
  org: OrganizationId,
  series: EventSeries,
  entries: readonly SeriesEntry[],
): Promise<Map<Id, Key>> {
  if (series === 'trails') {
    // A trail's entry comes with its first moment.
    return new Map(
      entries.map((entry) => {
        const { f, t } = TrailEntry.parse(entry);
        return [entry.id, momentKey(org, f, t, 1)];
      }),
    );
  }
  const recordKey = (id: Id) => (series === ATTESTATIONS ? attestationKey(org, storedId(id)) : artifactKey(org, id));
  const Record = series === ATTESTATIONS ? AttestationRecord : ArtifactRecord;
  const records = await table.getMany(entries.map((entry) => recordKey(RecordEntry.parse(entry).r)));
  return new Map(
    entries.flatMap((entry): [Id, Key][] => {
      const item = records.get(keyText(recordKey(RecordEntry.parse(entry).r)));
      if (!item) return [];
      const { flow, trail, number } = Record.parse(item);
      return [[entry.id, momentKey(org, flow, trail, number)]];
    }),
  );
}
