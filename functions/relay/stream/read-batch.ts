import type { DynamoDBRecord } from 'aws-lambda';
import type { Id, OrganizationId } from '#shared/base/ids.ts';
import { readEnvironmentChange } from '#shared/environments/stream-changes.ts';
import { readRequestedEvaluation } from '#shared/evaluations/evaluation-message.ts';
import { readMomentEvent } from '#shared/evidence/events/moment-event.ts';
import type { MomentFacts } from '#shared/evidence/rules/moment-facts.ts';
import { readStartedExport } from '#shared/exports/export-message.ts';
import { entryOfItem, hasEntry, type ItemEntry } from '#shared/log/item-entries.ts';
import type { LogEntries } from '#shared/log/log-message.ts';
import type { EventNews } from '#shared/notifications/deliver.ts';
import { type RequestedDelivery, readRequestedDelivery } from '#shared/notifications/requested-deliveries.ts';
import { type NewEntry, readNewEntry } from '#shared/series/stream-entries.ts';
import type { SeriesTraffic } from '#shared/series/update-series.ts';
import { type Image, StreamItem } from '#shared/table/stream-item.ts';
import { EnvironmentsNews } from './environment-news.ts';

/** What records bring about one subject. */
type OfRecord<T> = T & {
  /** Position in the batch of the first record of the subject. */
  record: number;
};

/** An evaluation or an export that an endpoint created. */
interface RequestedWork {
  org: OrganizationId;
  id: Id;
}

export interface Batch {
  series: OfRecord<SeriesTraffic>[];
  events: OfRecord<EventNews>[];
  deliveries: OfRecord<RequestedDelivery>[];
  evaluations: OfRecord<RequestedWork>[];
  exports: OfRecord<RequestedWork>[];
  environments: EnvironmentsNews;
  logs: OfRecord<LogEntries>[];
  /** The records that could not be read, with their errors. */
  unreadable: { record: number; error: unknown }[];
}

/** The records of a batch, grouped by subject, while the batch is read. */
class Grouped {
  readonly series = new Map<string, OfRecord<SeriesTraffic>>();
  readonly events = new Map<Id, OfRecord<EventNews>>();
  readonly deliveries: OfRecord<RequestedDelivery>[] = [];
  readonly evaluations: OfRecord<RequestedWork>[] = [];
  readonly exports: OfRecord<RequestedWork>[] = [];
  readonly environments = new EnvironmentsNews();
  readonly logs = new Map<OrganizationId, OfRecord<LogEntries>>();

  addEntry({ org, series, month, entry }: NewEntry, record: number): void {
    const key = `${org}#${series}`;
    const known = this.series.get(key) ?? { org, series, months: new Set<string>(), entries: [], record };
    known.months.add(month);
    known.entries.push(entry);
    this.series.set(key, known);
  }

  addMoment({ org, moment }: { org: OrganizationId; moment: MomentFacts }, record: number): void {
    const known = this.events.get(org) ?? { org, moments: [], record };
    known.moments.push(moment);
    this.events.set(org, known);
    this.environments.addMoment(org, moment, record);
  }

  addLogEntry({ org, bytes, trail }: ItemEntry, record: number): void {
    const known: OfRecord<LogEntries> = this.logs.get(org) ?? { org, entries: [], trails: new Map(), record };
    known.entries.push(bytes);
    if (trail) known.trails.set(trail.id, trail.name);
    this.logs.set(org, known);
  }
}

/**
 * Groups the records of a batch by subject and skips items without effects, which are most of the table. A record that
 * cannot be read keeps no other record from being read (`rules/storage.md#failed-records`).
 */
export function readBatch(records: readonly DynamoDBRecord[]): Batch {
  const grouped = new Grouped();
  const unreadable: Batch['unreadable'] = [];
  for (const [i, { dynamodb }] of records.entries()) {
    // The record of a removal has no image. Removals have no effects.
    if (!dynamodb?.NewImage) continue;
    try {
      // The types of the event and of the SDK describe the same attributes. Only bytes differ, which `StreamItem` converts.
      readItem(new StreamItem(dynamodb.NewImage as Image), i, grouped);
    } catch (error) {
      // Errors of reading are values, so each of them is set aside with its own record.
      unreadable.push({ record: i, error });
    }
  }
  const { series, events, deliveries, evaluations, exports, environments, logs } = grouped;
  return {
    series: [...series.values()],
    events: [...events.values()],
    deliveries,
    evaluations,
    exports,
    environments,
    logs: [...logs.values()],
    unreadable,
  };
}

/** Returns the organizations in which a batch has effects. */
export function organizationsOf({ series, events, environments, logs }: Batch): Set<OrganizationId> {
  const { snapshots, groups, marks, allowed } = environments;
  const news = [series, events, logs, ...[snapshots, groups, marks, allowed].map((map) => [...map.values()])].flat();
  return new Set(news.map(({ org }) => org));
}

function readItem(streamed: StreamItem, record: number, grouped: Grouped): void {
  const entry = readNewEntry(streamed);
  if (entry) grouped.addEntry(entry, record);
  const event = readMomentEvent(streamed);
  if (event) grouped.addMoment(event, record);
  const delivery = readRequestedDelivery(streamed);
  if (delivery) grouped.deliveries.push({ ...delivery, record });
  const evaluation = readRequestedEvaluation(streamed);
  if (evaluation) grouped.evaluations.push({ ...evaluation, record });
  const started = readStartedExport(streamed);
  if (started) grouped.exports.push({ ...started, record });
  const change = readEnvironmentChange(streamed);
  if (change) grouped.environments.add(change, record);
  // The last step: an item without a sound hash has its other effects nevertheless, and is set aside.
  const logged = hasEntry(streamed) ? entryOfItem(streamed.item) : null;
  if (logged) grouped.addLogEntry(logged, record);
}
