import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import * as z from 'zod';
import { type FlowId, type Id, type OrganizationId, TrailId } from '#shared/base/ids.ts';
import { readEvaluationPartition } from '#shared/evaluations/records/keys.ts';
import { readMomentPartition } from '#shared/evidence/records/keys.ts';
import { MomentBody } from '#shared/evidence/records/trail-items.ts';
import { MOMENT_KINDS } from '#shared/evidence/rules/trail-state.ts';
import type { AskedDelivery, EventNews } from '#shared/notifications/deliver.ts';
import { deliveryToSend } from '#shared/notifications/records/deliveries.ts';
import { readDeliveryPartition } from '#shared/notifications/records/keys.ts';
import type { MomentFacts } from '#shared/notifications/rules/triggers.ts';
import type { Active, Activity } from '#shared/series/activity.ts';
import { baseOf } from '#shared/series/facets.ts';
import { readSeriesPartition } from '#shared/series/keys.ts';
import type { SeriesEntry } from '#shared/series/series.ts';
import type { Item } from '#shared/table/table.ts';
import { EnvironmentsNews } from './read-environments.ts';

/** What came into one series with a batch. */
export interface SeriesTraffic {
  org: OrganizationId;
  series: string;
  months: Set<string>;
  entries: SeriesEntry[];
  /** Position in the batch of the first record of it. */
  record: number;
}

/** The latest that a batch says of one flow, or of one repository. */
export interface ActivityNews {
  active: Active;
  activity: Activity;
  record: number;
}

/** An evaluation that an endpoint asks for. */
export interface AskedEvaluation {
  org: OrganizationId;
  id: Id;
  record: number;
}

export interface Batch {
  series: SeriesTraffic[];
  activities: ActivityNews[];
  events: EventNews[];
  asked: AskedDelivery[];
  evaluations: AskedEvaluation[];
  environments: EnvironmentsNews;
  /** The first record that could not be read, and why; what comes after it was not looked at. */
  unreadable: { record: number; cause: unknown } | undefined;
}

const Text = z.object({ S: z.string() });
/** Entries are filtered by texts; whatever else they have, the relay need not understand. */
const Value = z.looseObject({ S: z.string().optional() }).transform(({ S }) => S);
const EntryImage = z.object({ pk: Text, sk: Text, v: Value }).catchall(Value);
const MomentImage = z.object({
  sk: Text,
  at: z.object({ N: z.string() }),
  kind: z.object({ S: z.enum(MOMENT_KINDS) }),
  trail: z.object({ S: TrailId }),
  name: Text,
  body: Text,
});

/** What a batch is about, while it is read. */
interface Sorted {
  series: Map<string, SeriesTraffic>;
  activities: Map<string, ActivityNews>;
  events: Map<Id, EventNews>;
  asked: AskedDelivery[];
  evaluations: AskedEvaluation[];
  environments: EnvironmentsNews;
}

/**
 * Sorts the records of a batch by what they are about. Most items of the table are nobody's news: they are passed over.
 * An unreadable record ends the batch there, so that the stream's order is kept.
 */
export function readBatch(records: readonly DynamoDBRecord[]): Batch {
  const sorted: Sorted = {
    ...{ series: new Map(), activities: new Map(), events: new Map(), asked: [], evaluations: [] },
    environments: new EnvironmentsNews(),
  };
  let unreadable: Batch['unreadable'];
  for (const [i, record] of records.entries()) {
    try {
      readRecord(record, i, sorted);
    } catch (cause) {
      unreadable = { record: i, cause };
      break;
    }
  }
  const { series, activities, events, asked, evaluations, environments } = sorted;
  const lists = { series: [...series.values()], activities: [...activities.values()], events: [...events.values()] };
  return { ...lists, asked, evaluations, environments, unreadable };
}

function readRecord({ dynamodb }: DynamoDBRecord, record: number, sorted: Sorted): void {
  // What was removed has no image: time to live and operators remove, and neither is an event.
  const image = dynamodb?.NewImage;
  if (!image) return;
  const { S: pk } = Text.parse(image['pk']);
  const entries = readSeriesPartition(pk);
  if (entries) noteEntry(entries, EntryImage.parse(image), record, sorted.series);
  const moments = readMomentPartition(pk);
  if (moments) noteMoment(moments, MomentImage.parse(image), record, sorted);
  // Attempts and decided deliveries are many, and nothing is asked of the relay by them.
  const delivered = image['toSend'] === undefined ? null : readDeliveryPartition(pk);
  if (delivered) noteAsked(delivered.org, image as Record<string, AttributeValue>, record, sorted.asked);
  // A record is put as pending once, by the request: whatever is put over it says how the evaluation ended.
  const isPending = image['status']?.S === 'pending';
  const evaluation = isPending ? readEvaluationPartition(pk) : null;
  if (evaluation) sorted.evaluations.push({ ...evaluation, record });
  const { S: sk } = Text.parse(image['sk']);
  sorted.environments.note(pk, sk, image as Record<string, AttributeValue>, record);
}

function noteAsked(
  org: OrganizationId,
  image: Record<string, AttributeValue>,
  record: number,
  asked: AskedDelivery[],
): void {
  const delivery = deliveryToSend(unmarshall(image) as Item);
  if (delivery) asked.push({ org, delivery, record });
}

function noteEntry(
  { org, series, month }: { org: OrganizationId; series: string; month: string },
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
  { org, flow }: { org: OrganizationId; flow: FlowId },
  image: z.infer<typeof MomentImage>,
  record: number,
  { activities, events, environments }: Sorted,
): void {
  const said = MomentBody.parse(JSON.parse(image.body.S));
  const at = Number(image.at.N);
  noteLatest(activities, { active: { org, kind: 'flow', id: flow }, activity: { at, state: said.word }, record });
  if (said.repo !== undefined) {
    noteLatest(activities, { active: { org, kind: 'repo', id: said.repo }, activity: { at, state: '' }, record });
  }

  const { kind, trail, name, sk } = image;
  const news = events.get(org) ?? { org, moments: [], record };
  const moment: MomentFacts = { kind: kind.S, at, number: Number(sk.S), flow, trail: trail.S, name: name.S, said };
  news.moments.push(moment);
  events.set(org, news);
  environments.noteMoment(org, moment, record);
}

function noteLatest(activities: Map<string, ActivityNews>, news: ActivityNews): void {
  const { active, activity } = news;
  const key = [active.org, active.kind, active.id].join('#');
  const known = activities.get(key);
  if (!known) activities.set(key, news);
  else if (activity.at > known.activity.at) known.activity = activity;
}
