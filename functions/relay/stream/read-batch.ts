import type { DynamoDBRecord } from 'aws-lambda';
import type { OrganizationId } from '#shared/base/ids.ts';
import type { MarkNews } from '#shared/environments/effects-context.ts';
import { type EnvironmentChange, readEnvironmentChange } from '#shared/environments/stream-changes.ts';
import { readRequestedEvaluation } from '#shared/evaluations/evaluation-message.ts';
import { readMomentEvent } from '#shared/evidence/events/moment-event.ts';
import { readStartedExport } from '#shared/exports/export-message.ts';
import { entryOfItem, hasEntry, type ItemEntry } from '#shared/log/item-entries.ts';
import type { LogEntries } from '#shared/log/log-message.ts';
import type { EventNews } from '#shared/notifications/deliver.ts';
import { readRequestedDelivery } from '#shared/notifications/messages.ts';
import { type NewEntry, readNewEntry } from '#shared/series/stream-entries.ts';
import type { SeriesTraffic } from '#shared/series/update-series.ts';
import { type Image, StreamItem } from '#shared/table/stream-item.ts';

/** What records bring about one subject. `record` is the position in the batch of the first of them. */
type OfRecord<T> = T & { record: number };

type Change<Kind extends EnvironmentChange['kind']> = Extract<EnvironmentChange, { kind: Kind }>;
type Moment = NonNullable<ReturnType<typeof readMomentEvent>>;

class News {
  readonly entries: OfRecord<NewEntry>[] = [];
  readonly moments: OfRecord<Moment>[] = [];
  readonly deliveries: OfRecord<NonNullable<ReturnType<typeof readRequestedDelivery>>>[] = [];
  readonly evaluations: OfRecord<NonNullable<ReturnType<typeof readRequestedEvaluation>>>[] = [];
  readonly exports: OfRecord<NonNullable<ReturnType<typeof readStartedExport>>>[] = [];
  readonly changes: OfRecord<EnvironmentChange>[] = [];
  readonly logged: OfRecord<ItemEntry>[] = [];

  add(streamed: StreamItem, record: number): void {
    const add = <T extends object>(list: OfRecord<T>[], news: T | null) => {
      if (news) list.push({ ...news, record });
    };
    add(this.entries, readNewEntry(streamed));
    add(this.moments, readMomentEvent(streamed));
    add(this.deliveries, readRequestedDelivery(streamed));
    add(this.evaluations, readRequestedEvaluation(streamed));
    add(this.exports, readStartedExport(streamed));
    add(this.changes, readEnvironmentChange(streamed));
    // The last step: an item without a sound hash has its other effects nevertheless, and is set aside.
    add(this.logged, hasEntry(streamed) ? entryOfItem(streamed.item) : null);
  }

  changesOf<Kind extends EnvironmentChange['kind']>(...kinds: Kind[]) {
    const isWanted = (change: OfRecord<EnvironmentChange>): change is OfRecord<Change<Kind>> =>
      kinds.some((kind) => kind === change.kind);
    return this.changes.filter(isWanted);
  }
}

/** Joins what concerns the same subject, in the order of the first records. */
const bySubject = <T, G>(
  news: readonly OfRecord<T>[],
  subjectOf: (one: T) => string,
  join: (first: T, all: readonly T[]) => G,
): OfRecord<G>[] =>
  [...Map.groupBy(news, subjectOf).values()].flatMap((all) =>
    all.slice(0, 1).map((first) => ({ ...join(first, all), record: first.record })),
  );

const organizationOf = ({ org }: { org: OrganizationId }) => org;
const environmentOf = ({ org, environment }: Change<'snapshot' | 'group'>) => `${org}#${environment}`;

/** Joins the causes of marks of an organization: moments, and changes of flows and policies. */
function marksOf(news: News): OfRecord<MarkNews>[] {
  const causes: OfRecord<Moment | Change<'flow' | 'policy'>>[] = [...news.moments, ...news.changesOf('flow', 'policy')];
  causes.sort((a, b) => a.record - b.record);
  return bySubject(
    causes,
    organizationOf,
    ({ org }, all): MarkNews => ({
      org,
      moments: all.flatMap((cause) => ('moment' in cause ? [cause.moment] : [])),
      flows: new Set(all.flatMap((cause) => ('flow' in cause ? [cause.flow] : []))),
      policies: new Set(all.flatMap((cause) => ('policy' in cause ? [cause.policy] : []))),
    }),
  );
}

const grouped = (news: News) => ({
  series: bySubject(
    news.entries,
    ({ org, series }) => `${org}#${series}`,
    ({ org, series }, all): SeriesTraffic => ({
      org,
      series,
      months: new Set(all.map(({ month }) => month)),
      entries: all.map(({ entry }) => entry),
    }),
  ),
  events: bySubject(
    news.moments,
    organizationOf,
    ({ org }, all): EventNews => ({ org, moments: all.map(({ moment }) => moment) }),
  ),
  deliveries: news.deliveries,
  evaluations: news.evaluations,
  exports: news.exports,
  environments: {
    snapshots: bySubject(news.changesOf('snapshot'), environmentOf, (first) => first),
    /** Logical environments whose members or policies may have changed. `rev` counts their changes of settings. */
    groups: bySubject(news.changesOf('group'), environmentOf, (first, all) => ({
      ...first,
      rev: Math.max(...all.map(({ rev }) => rev)),
    })),
    marks: marksOf(news),
    allowed: bySubject(news.changesOf('allowed'), organizationOf, ({ org }, all) => ({
      org,
      entries: all.map(({ entry }) => entry),
    })),
  },
  logs: bySubject(
    news.logged,
    organizationOf,
    ({ org }, all): LogEntries => ({
      org,
      entries: all.map(({ bytes }) => bytes),
      trails: new Map(all.flatMap(({ trail }) => (trail ? [[trail.id, trail.name]] : []))),
    }),
  ),
});

export type Batch = ReturnType<typeof readBatch>;

/**
 * Groups the records of a batch by subject and skips items without effects, which are most of the table. A record that
 * cannot be read keeps no other record from being read (`rules/storage.md#failed-records`).
 *
 * @returns also the records that could not be read, with their errors
 */
export function readBatch(records: readonly DynamoDBRecord[]) {
  const news = new News();
  const unreadable: { record: number; error: unknown }[] = [];
  for (const [i, { dynamodb }] of records.entries()) {
    // The record of a removal has no image. Removals have no effects.
    if (!dynamodb?.NewImage) continue;
    try {
      // The types of the event and of the SDK describe the same attributes. Only bytes differ, which `StreamItem` converts.
      news.add(new StreamItem(dynamodb.NewImage as Image), i);
    } catch (error) {
      // Errors of reading are values, so each of them is set aside with its own record.
      unreadable.push({ record: i, error });
    }
  }
  return { ...grouped(news), unreadable };
}

export const organizationsOf = ({ series, events, environments, logs }: Batch): Set<OrganizationId> =>
  new Set([series, events, logs, ...Object.values(environments)].flat().map(({ org }) => org));
