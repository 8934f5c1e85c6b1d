import type { DynamoDBRecord } from 'aws-lambda';
import * as z from 'zod';
import type { Id } from '#shared/ids.ts';
import type { Activity } from '#shared/store/activity.ts';
import { baseOf } from '#shared/store/facets.ts';
import { readMomentPartition, readSeriesPartition } from '#shared/store/keys.ts';
import type { SeriesEntry } from '#shared/store/series.ts';
import { MomentBody } from '#shared/store/trail-items.ts';

/** What came into one series with a batch. */
export interface SeriesTraffic {
  org: Id;
  series: string;
  months: Set<string>;
  entries: SeriesEntry[];
  /** Position in the batch of the first record of it. */
  record: number;
}

/** The latest that a batch says of one flow. */
export interface FlowNews {
  org: Id;
  flow: Id;
  activity: Activity;
  record: number;
}

export interface Batch {
  series: SeriesTraffic[];
  flows: FlowNews[];
  /** The first record that could not be read, and why; what comes after it was not looked at. */
  unreadable: { record: number; cause: unknown } | undefined;
}

const Text = z.object({ S: z.string() });
/** Entries are filtered by texts; whatever else they have, the relay need not understand. */
const Value = z.looseObject({ S: z.string().optional() }).transform(({ S }) => S);
const EntryImage = z.object({ pk: Text, sk: Text, v: Value }).catchall(Value);
const MomentImage = z.object({ at: z.object({ N: z.string() }), body: Text });

/**
 * Sorts the records of a batch by what they are about. Most items of the table are nobody's news: they are passed over.
 * An unreadable record ends the batch there, so that the stream's order is kept.
 */
export function readBatch(records: readonly DynamoDBRecord[]): Batch {
  const series = new Map<string, SeriesTraffic>();
  const flows = new Map<string, FlowNews>();
  for (const [i, record] of records.entries()) {
    try {
      readRecord(record, i, series, flows);
    } catch (cause) {
      return { series: [...series.values()], flows: [...flows.values()], unreadable: { record: i, cause } };
    }
  }
  return { series: [...series.values()], flows: [...flows.values()], unreadable: undefined };
}

function readRecord(
  { dynamodb }: DynamoDBRecord,
  record: number,
  series: Map<string, SeriesTraffic>,
  flows: Map<string, FlowNews>,
): void {
  // What was removed has no image: time to live and operators remove, and neither is an event.
  if (!dynamodb?.NewImage) return;
  const { S: pk } = Text.parse(dynamodb.NewImage['pk']);
  const entries = readSeriesPartition(pk);
  if (entries) noteEntry(entries, EntryImage.parse(dynamodb.NewImage), record, series);
  const moments = readMomentPartition(pk);
  if (moments) noteMoment(moments, MomentImage.parse(dynamodb.NewImage), record, flows);
}

function noteEntry(
  { org, series, month }: { org: Id; series: string; month: string },
  image: z.infer<typeof EntryImage>,
  record: number,
  traffic: Map<string, SeriesTraffic>,
): void {
  // Facets are written by the relay itself, which notes their months as it does so.
  if (baseOf(series) !== null) return;
  const key = `${org}#${series}`;
  const known = traffic.get(key) ?? { org, series, months: new Set<string>(), entries: [], record };
  const { pk: _, sk, v: __, ...attributes } = image;
  known.months.add(month);
  known.entries.push({ ...attributes, id: sk.S });
  traffic.set(key, known);
}

function noteMoment(
  { org, flow }: { org: Id; flow: Id },
  image: z.infer<typeof MomentImage>,
  record: number,
  flows: Map<string, FlowNews>,
): void {
  const key = `${org}#${flow}`;
  const { word } = MomentBody.parse(JSON.parse(image.body.S));
  const activity = { at: Number(image.at.N), state: word };
  const known = flows.get(key);
  if (!known) flows.set(key, { org, flow, activity, record });
  else if (activity.at > known.activity.at) known.activity = activity;
}
