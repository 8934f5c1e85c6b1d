import type { DynamoDBRecord } from 'aws-lambda';
import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import type { MarkNews } from '#shared/environments/effects-context.ts';
import { type EnvironmentChange, readEnvironmentChange } from '#shared/environments/stream-changes.ts';
import { readRequestedEvaluation } from '#shared/evaluations/evaluation-message.ts';
import { readMomentEvent } from '#shared/evidence/events/moment-event.ts';
import { readUnreadAttestation } from '#shared/evidence/events/unread-attestations.ts';
import { type ChangedGap, readChangedGap } from '#shared/expectations/gaps/deliver-gaps.ts';
import { type MissedReporter, readMissedReporter } from '#shared/expectations/gaps/end-after-arrival.ts';
import { readStartedExport } from '#shared/exports/export-message.ts';
import { entryOfItem, hasEntry, type ItemEntry } from '#shared/log/item-entries.ts';
import type { LogEntries } from '#shared/log/log-message.ts';
import type { EventNews } from '#shared/notifications/deliver.ts';
import { readRequestedDelivery } from '#shared/notifications/messages.ts';
import { type NewEntry, readNewEntry } from '#shared/series/stream-entries.ts';
import type { SeriesTraffic } from '#shared/series/update-series.ts';
import { type Image, StreamItem } from '#shared/table/stream-item.ts';
import { type NewMatch, readNewMatch } from '#shared/watches/deliver-matches.ts';
import { type NewWatch, readNewWatch } from '#shared/watches/new-watch.ts';

/** What a record brings. `record` is its position in the batch; `request` names the request that wrote its item. */
type OfRecord<T> = T & { record: number; request?: string | undefined };
/** What records bring about one subject: the position of the first of them, and their requests. */
type OfRecords<T> = T & { record: number; requests: string[] };

type Change<Kind extends EnvironmentChange['kind']> = Extract<EnvironmentChange, { kind: Kind }>;
type Moment = NonNullable<ReturnType<typeof readMomentEvent>>;

class News {
  readonly entries: OfRecord<NewEntry>[] = [];
  readonly moments: OfRecord<Moment>[] = [];
  readonly deliveries: OfRecord<NonNullable<ReturnType<typeof readRequestedDelivery>>>[] = [];
  readonly evaluations: OfRecord<NonNullable<ReturnType<typeof readRequestedEvaluation>>>[] = [];
  readonly exports: OfRecord<NonNullable<ReturnType<typeof readStartedExport>>>[] = [];
  readonly changes: OfRecord<EnvironmentChange>[] = [];
  readonly arrivals: OfRecord<MissedReporter>[] = [];
  readonly gaps: OfRecord<ChangedGap>[] = [];
  readonly watches: OfRecord<NewWatch>[] = [];
  readonly matches: OfRecord<NewMatch>[] = [];
  readonly sboms: OfRecord<NonNullable<ReturnType<typeof readUnreadAttestation>>>[] = [];
  readonly logged: OfRecord<ItemEntry>[] = [];

  add(streamed: StreamItem, record: number, request: string | undefined): void {
    const add = <T extends object>(list: OfRecord<T>[], news: T | null) => {
      if (news) list.push({ ...news, record, request });
    };
    add(this.entries, readNewEntry(streamed));
    const event = readMomentEvent(streamed);
    add(this.moments, event && { ...event, moment: { ...event.moment, request } });
    add(this.deliveries, readRequestedDelivery(streamed));
    add(this.evaluations, readRequestedEvaluation(streamed));
    add(this.exports, readStartedExport(streamed));
    add(this.changes, readEnvironmentChange(streamed));
    add(this.arrivals, readMissedReporter(streamed));
    add(this.gaps, readChangedGap(streamed));
    add(this.watches, readNewWatch(streamed));
    add(this.matches, readNewMatch(streamed));
    add(
      this.sboms,
      readUnreadAttestation(streamed, () => streamed.has('toRead')),
    );
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
): OfRecords<G>[] =>
  [...Map.groupBy(news, subjectOf).values()].flatMap((all) =>
    all.slice(0, 1).map((first) => ({ ...join(first, all), record: first.record, requests: requestsOf(all) })),
  );

/** Returns the different requests of records, in the order of the records. */
export const requestsOf = (all: readonly { request?: string | undefined }[]): string[] => [
  ...new Set(all.flatMap(({ request }) => request ?? [])),
];

const organizationOf = ({ org }: { org: OrganizationId }) => org;
const environmentOf = ({ org, environment }: { org: OrganizationId; environment: EnvironmentId }) =>
  `${org}#${environment}`;

/** Joins the causes of marks of an organization: moments, and changes of flows, policies and controls. */
function marksOf(news: News): OfRecords<MarkNews>[] {
  const causes: OfRecord<Moment | Change<'flow' | 'policy' | 'control'>>[] = [
    ...news.moments,
    ...news.changesOf('flow', 'policy', 'control'),
  ];
  causes.sort((a, b) => a.record - b.record);
  return bySubject(
    causes,
    organizationOf,
    ({ org }, all): MarkNews => ({
      org,
      moments: all.flatMap((cause) => ('moment' in cause ? [cause.moment] : [])),
      flows: new Set(all.flatMap((cause) => ('flow' in cause ? [cause.flow] : []))),
      policies: new Set(all.flatMap((cause) => ('policy' in cause ? [cause.policy] : []))),
      controls: new Set(all.flatMap((cause) => ('control' in cause ? [cause.control] : []))),
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
  watches: news.watches,
  /** Attestations that may have an SBOM. */
  sboms: news.sboms,
  environments: {
    snapshots: bySubject(news.changesOf('snapshot'), environmentOf, (first) => first),
    /** Logical environments whose members or policies may have changed. `rev` counts their changes of settings. */
    groups: bySubject(news.changesOf('group'), environmentOf, (first, all) => ({
      ...first,
      rev: Math.max(...all.map(({ rev }) => rev)),
    })),
    marks: marksOf(news),
    recalls: news.changesOf('recall'),
    allowed: bySubject(news.changesOf('allowed'), organizationOf, ({ org }, all) => ({
      org,
      entries: all.map(({ entry }) => entry),
    })),
  },
  arrivals: bySubject(news.arrivals, environmentOf, (first) => first),
  gaps: bySubject(news.gaps, organizationOf, ({ org }, all) => ({ org, gaps: all.map(({ gap }) => gap) })),
  matches: bySubject(news.matches, organizationOf, ({ org }, all) => ({ org, matches: all.map(({ match }) => match) })),
  logs: bySubject(
    news.logged,
    organizationOf,
    ({ org }, all): Omit<LogEntries, 'requests'> => ({
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
 * @param requests ids of the requests of items that do not name them, by the positions of their records
 * @returns also the records that could not be read, with their errors
 */
export function readBatch(records: readonly DynamoDBRecord[], requests: ReadonlyMap<number, string> = new Map()) {
  const news = new News();
  const unreadable: { record: number; error: unknown }[] = [];
  for (const [i, { dynamodb }] of records.entries()) {
    // The record of a removal has no image. Removals have no effects.
    if (!dynamodb?.NewImage) continue;
    try {
      // The types of the event and of the SDK describe the same attributes. Only bytes differ, which `StreamItem` converts.
      const streamed = new StreamItem(dynamodb.NewImage as Image);
      news.add(streamed, i, streamed.request ?? requests.get(i));
    } catch (error) {
      // Errors of reading are values, so each of them is set aside with its own record.
      unreadable.push({ record: i, error });
    }
  }
  return { ...grouped(news), unreadable };
}

export const organizationsOf = ({ series, events, environments, arrivals, gaps, logs }: Batch): Set<OrganizationId> =>
  new Set([series, events, arrivals, gaps, logs, ...Object.values(environments)].flat().map(({ org }) => org));
