import * as z from 'zod';
import {
  type AttestationId,
  FlowId,
  firstIdAt,
  type Id,
  type OrganizationId,
  storedId,
  timeOfId,
} from '#shared/base/ids.ts';
import { AnyTrailName } from '#shared/base/names.ts';
import { type Micros, minus } from '#shared/base/time.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import { firstEntries, monthsBetween, type SeriesEntry } from '#shared/series/series-entries.ts';
import { type Key, keyText, type Table } from '#shared/table/table.ts';
import { ArtifactRecord } from '../records/artifact-records.ts';
import { AttestationRecord } from '../records/attestation-records.ts';
import { artifactKey, attestationKey, momentKey } from '../records/keys.ts';
import { type Moment, readMoment } from '../records/moments.ts';
import { ARTIFACTS, ATTESTATIONS } from '../rules/series-kinds.ts';
import { readUnreadAttestation } from './unread-attestations.ts';

/** The time series of events. Each event of a flow that a trigger can match has an entry in exactly one of them. */
export const EVENT_SERIES = ['trails', ATTESTATIONS, ARTIFACTS] as const;
export type EventSeries = (typeof EVENT_SERIES)[number];

export interface SettledEvents {
  entries: SeriesEntry[];
  moments: Moment[];
  /** Items of moments that do not fit their schema, with the errors. */
  unreadable: { key: Key; error: unknown }[];
  /** All settled events of the series up to this id, inclusive, were found. */
  upTo: Id;
  /** Whether more events may have settled after `upTo`. */
  more: boolean;
  /** Attestations that may have an SBOM. Whether the expander has read them, the caller asks. */
  toRead: AttestationId[];
  /** Entries without their event. There should be none: one transaction writes both. */
  orphans: Id[];
}

/**
 * Reads the settled events of a series after an id, oldest first, in three round trips
 * (`rules/notifications.md#lost-events`).
 * @param after id of the last entry that was checked before
 * @param limit the most entries that are read
 * @throws ZodError for an entry or a record that does not fit its schema, apart from moments
 */
export async function settledEvents(
  table: Table,
  org: OrganizationId,
  series: EventSeries,
  after: Id,
  now: Micros,
  limit: number,
): Promise<SettledEvents> {
  const horizon = firstIdAt(minus(now, SETTLING_MICROS));
  // All months since `after`, not only those that the relay recorded: the relay may not have run for some time.
  const months = monthsBetween(timeOfId(after), now);
  const found = await firstEntries(table, org, series, months, after, limit + 1);
  const entries = found.filter(({ id }) => id > after && id < horizon).slice(0, limit);
  const { keys, toRead } = await momentKeys(table, org, series, entries);
  const items = await table.getMany([...keys.values()]);
  const orphans: Id[] = [];
  const unreadable: SettledEvents['unreadable'] = [];
  const moments = entries.flatMap(({ id }) => {
    const key = keys.get(id);
    const item = key && items.get(keyText(key));
    if (!item) {
      orphans.push(id);
      return [];
    }
    try {
      return [readMoment(item)];
    } catch (error) {
      // Errors of reading are values here, so that an unreadable moment does not keep the sweep from those behind it.
      unreadable.push({ key, error });
      return [];
    }
  });
  const last = entries.at(-1);
  const more = last !== undefined && entries.length === limit;
  // If all settled entries were read, the next call can begin at the horizon.
  return { entries, moments, toRead, unreadable, orphans, more, upTo: more ? last.id : greater(after, horizon) };
}

const greater = (one: Id, other: Id): Id => (one > other ? one : other);

const TrailEntry = z.object({ f: FlowId, t: AnyTrailName });
const RecordEntry = z.object({ r: z.string() });

/** Returns the keys of the moments that entries belong to, by the ids of the entries, and which of the records may have an SBOM. */
async function momentKeys(table: Table, org: OrganizationId, series: EventSeries, entries: readonly SeriesEntry[]) {
  if (series === 'trails') {
    // The transaction that writes a trail's entry writes the first moment of the trail.
    const keys = entries.map((entry): [Id, Key] => {
      const { f, t } = TrailEntry.parse(entry);
      return [entry.id, momentKey(org, f, t, 1)];
    });
    return { keys: new Map(keys), toRead: [] };
  }
  const recordKey = (id: Id) => (series === ATTESTATIONS ? attestationKey(org, storedId(id)) : artifactKey(org, id));
  const Record = series === ATTESTATIONS ? AttestationRecord : ArtifactRecord;
  const records = await table.getMany(entries.map((entry) => recordKey(RecordEntry.parse(entry).r)));
  const keys = entries.flatMap((entry): [Id, Key][] => {
    const item = records.get(keyText(recordKey(RecordEntry.parse(entry).r)));
    if (!item) return [];
    const { flow, trail, number } = Record.parse(item);
    return [[entry.id, momentKey(org, flow, trail, number)]];
  });
  const toRead = [...records.values()].flatMap(
    (item) => readUnreadAttestation(item, () => item['toRead'] === true)?.attestation ?? [],
  );
  return { keys: new Map(keys), toRead };
}
