import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import * as z from 'zod';
import { type FlowId, type Id, type OrganizationId, TrailId } from '#shared/base/ids.ts';
import { readEvaluationPartition } from '#shared/evaluations/records/keys.ts';
import { readMomentPartition } from '#shared/evidence/records/keys.ts';
import { contentOf } from '#shared/evidence/records/moments.ts';
import type { MomentFacts } from '#shared/evidence/rules/moment-facts.ts';
import { MOMENT_KINDS } from '#shared/evidence/rules/trail-state.ts';
import { readExportPartition } from '#shared/exports/records/keys.ts';
import type { EventNews, RequestedDelivery } from '#shared/notifications/deliver.ts';
import { deliveryToSend } from '#shared/notifications/records/deliveries.ts';
import { readDeliveryPartition } from '#shared/notifications/records/keys.ts';
import { baseOf } from '#shared/series/facets.ts';
import { readSeriesPartition } from '#shared/series/keys.ts';
import type { SeriesTraffic } from '#shared/series/update-series.ts';
import type { Item } from '#shared/table/table.ts';
import { addLogEntry, type LogNews } from './log-news.ts';
import { EnvironmentsNews } from './read-environments.ts';

/** The entries of one series in a batch. */
export interface SeriesNews extends SeriesTraffic {
  /** Position in the batch of the first record with such an entry. */
  record: number;
}

/** An evaluation or an export that an endpoint created. */
export interface RequestedWork {
  org: OrganizationId;
  id: Id;
  record: number;
}

export interface Batch {
  series: SeriesNews[];
  events: EventNews[];
  deliveries: RequestedDelivery[];
  evaluations: RequestedWork[];
  exports: RequestedWork[];
  environments: EnvironmentsNews;
  logs: LogNews[];
  /** The records that could not be read, with their errors. */
  unreadable: { record: number; error: unknown }[];
}

const Text = z.object({ S: z.string() });
/** The relay reads the texts of an entry, because filters use them. It ignores attributes of other types. */
const Value = z.looseObject({ S: z.string().optional() }).transform(({ S }) => S);
const EntryImage = z.object({ pk: Text, sk: Text, v: Value }).catchall(Value);
const MomentImage = z.object({
  sk: Text,
  at: z.object({ N: z.string() }),
  kind: z.object({ S: z.enum(MOMENT_KINDS) }),
  trail: z.object({ S: TrailId }),
  body: Text,
  details: Text,
});

/** The records of a batch, grouped by subject, while the batch is read. */
interface Grouped {
  series: Map<string, SeriesNews>;
  events: Map<Id, EventNews>;
  deliveries: RequestedDelivery[];
  evaluations: RequestedWork[];
  exports: RequestedWork[];
  environments: EnvironmentsNews;
  logs: Map<OrganizationId, LogNews>;
}

/**
 * Groups the records of a batch by subject and skips items without effects, which are most of the table. A record that
 * cannot be read keeps no other record from being read (`rules/storage.md#failed-records`).
 */
export function readBatch(records: readonly DynamoDBRecord[]): Batch {
  const grouped: Grouped = {
    series: new Map(),
    events: new Map(),
    deliveries: [],
    evaluations: [],
    exports: [],
    environments: new EnvironmentsNews(),
    logs: new Map(),
  };
  const unreadable: Batch['unreadable'] = [];
  for (const [i, record] of records.entries()) {
    try {
      readRecord(record, i, grouped);
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

function readRecord({ dynamodb }: DynamoDBRecord, record: number, grouped: Grouped): void {
  // The record of a removal has no image. Removals have no effects.
  const image = dynamodb?.NewImage;
  if (!image) return;
  const { S: pk } = Text.parse(image['pk']);
  const entries = readSeriesPartition(pk);
  if (entries) addEntry(entries, EntryImage.parse(image), record, grouped.series);
  const moments = readMomentPartition(pk);
  if (moments) addMoment(moments, MomentImage.parse(image), record, grouped);
  // Most items of deliveries are not to be sent, so they are skipped before they are parsed.
  const delivered = image['toSend'] === undefined ? null : readDeliveryPartition(pk);
  if (delivered) addDelivery(delivered.org, image as Record<string, AttributeValue>, record, grouped.deliveries);
  // Only the request writes an evaluation as pending. Later writes store how the evaluation ended.
  const isPending = image['status']?.S === 'pending';
  const evaluation = isPending ? readEvaluationPartition(pk) : null;
  if (evaluation) grouped.evaluations.push({ ...evaluation, record });
  const { S: sk } = Text.parse(image['sk']);
  // An export without an owner is new. Workers store their steps in the same item.
  const exportedBy = image['owner']?.NULL === true ? readExportPartition(pk) : null;
  if (exportedBy) grouped.exports.push({ org: exportedBy, id: sk, record });
  grouped.environments.add(pk, sk, image as Record<string, AttributeValue>, record);
  // The last step: an item without a sound hash has its other effects nevertheless, and is set aside.
  addLogEntry(grouped.logs, { pk, sk }, image as Record<string, AttributeValue>, record);
}

function addDelivery(
  org: OrganizationId,
  image: Record<string, AttributeValue>,
  record: number,
  deliveries: RequestedDelivery[],
): void {
  const delivery = deliveryToSend(unmarshall(image) as Item);
  if (delivery) deliveries.push({ org, delivery, record });
}

function addEntry(
  { org, series, month }: { org: OrganizationId; series: string; month: string },
  image: z.infer<typeof EntryImage>,
  record: number,
  traffic: Map<string, SeriesNews>,
): void {
  // The relay itself writes facets, and registers their months when it does so.
  if (baseOf(series) !== null) return;
  const key = `${org}#${series}`;
  const known = traffic.get(key) ?? { org, series, months: new Set<string>(), entries: [], record };
  const { pk: _, sk, v: __, ...attributes } = image;
  known.months.add(month);
  known.entries.push({ ...attributes, id: sk.S });
  traffic.set(key, known);
}

function addMoment(
  { org, flow, trail: name }: { org: OrganizationId; flow: FlowId; trail: string },
  image: z.infer<typeof MomentImage>,
  record: number,
  { events, environments }: Grouped,
): void {
  const content = contentOf({ body: image.body.S, details: image.details.S });
  const at = Number(image.at.N);
  const { kind, trail, sk } = image;
  const news = events.get(org) ?? { org, moments: [], record };
  const moment: MomentFacts = { kind: kind.S, at, number: Number(sk.S), flow, trail: trail.S, name, content };
  news.moments.push(moment);
  events.set(org, news);
  environments.addMoment(org, moment, record);
}
