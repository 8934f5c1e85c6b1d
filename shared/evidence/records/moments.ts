import { commitment } from '#shared/base/digests.ts';
import { type FlowId, type Id, type OrganizationId, storedId, type TrailId } from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import { entryHash, FIRST_PREVIOUS, linkEntry } from '#shared/base/proofs/hash-chain.ts';
import { isSameDigest, RecordDiffers } from '#shared/base/proofs/record-differs.ts';
import { type ChainedRecord, RecordGone, requireSuccessive } from '#shared/base/proofs/record-gone.ts';
import { randomBytes } from '#shared/base/random.ts';
import { again } from '#shared/base/retry.ts';
import { type Micros, micros } from '#shared/base/time.ts';
import type { PreparedBody } from '#shared/bodies/bodies.ts';
import type { Erasure } from '#shared/bodies/erasure.ts';
import { change, unchanged } from '#shared/table/expressions.ts';
import { requestOf } from '#shared/table/items.ts';
import { sequence } from '#shared/table/keys.ts';
import type { Item, Table, Write } from '#shared/table/table.ts';
import {
  detailsText,
  LastingMoment,
  lastingText,
  type MomentContent,
  MomentDetails,
  momentContent,
} from '../rules/moment-texts.ts';
import { applyMoment, EMPTY_TRAIL, hasAttestation, type MomentKind, type TrailState } from '../rules/trail-state.ts';
import { momentKey, momentPartition, readMomentPartition } from './keys.ts';
import { MomentItem } from './trail-items.ts';

const DOMAIN = 'delivery-evidence/trail';

interface Place {
  org: OrganizationId;
  flow: FlowId;
  trail: { id: TrailId; name: TrailName };
  number: number;
  at: Micros;
  previous: Uint8Array;
}

/** What a moment commits to besides its own texts (rules/trails.md#commitments). */
interface Draft {
  kind: MomentKind;
  record?: { id: Id; commitments: { record: Uint8Array; facts: Uint8Array } } | undefined;
  fields?: { body: PreparedBody };
}

/** Returns the attributes of a moment's item, with the hash that links it to the previous moment (rules/trails.md#link). */
export function sealMoment(
  place: Place,
  draft: Draft,
  texts: { lasting: LastingMoment; details: MomentDetails },
): Omit<MomentItem, 'sk'> {
  const { org, flow, trail, number, at, previous } = place;
  const moment = {
    kind: draft.kind,
    at,
    trail: trail.id,
    body: lastingText(texts.lasting),
    salt: randomBytes(32),
    details: detailsText(texts.details),
    detailsSalt: randomBytes(32),
    pledges: {
      ...draft.record?.commitments,
      ...(draft.fields && { fields: draft.fields.body.commitment }),
    },
    previous,
    ...(draft.record && { record: draft.record.id }),
  };
  return { ...moment, hash: entryHash(momentEntry(org, { ...moment, flow, number })) };
}

/** A moment as it is stored. Number, flow and name of the trail stand in its key. `request` names the request that wrote it. */
export type StoredMoment = MomentItem & { number: number; flow: FlowId; name: TrailName; request?: string | undefined };

/** Reads the item of a moment, without a comparison. @throws ZodError if it does not fit its schema */
export function storedMoment(item: Item): StoredMoment {
  const place = readMomentPartition(item.pk);
  if (!place) throw new Error(`The item ${item.pk} / ${item.sk} is no moment`);
  const { flow, trail: name } = place;
  return { ...MomentItem.parse(item), number: Number(item.sk), flow, name, request: requestOf(item) };
}

type Sealed = Pick<MomentItem, 'body' | 'salt' | 'details' | 'detailsSalt' | 'pledges'>;

/** Returns the commitments in the header of a moment, by name (rules/trails.md#commitments). */
export function commitmentsOf({ body, salt, details, detailsSalt, pledges }: Sealed): Record<string, Uint8Array> {
  return {
    ...pledges,
    moment: commitment(salt, body),
    ...(detailsSalt && { details: commitment(detailsSalt, details) }),
  };
}

/** Rebuilds the entry of a moment for the log: the bytes whose SHA-256 is the moment's hash (rules/log.md#entries). */
export function momentEntry(
  org: OrganizationId,
  moment: Sealed & Pick<StoredMoment, 'flow' | 'trail' | 'number' | 'kind' | 'at' | 'record' | 'previous'>,
): Buffer {
  const { flow, trail, number, kind, at, record, previous } = moment;
  const commitments = Object.fromEntries(
    Object.entries(commitmentsOf(moment)).map(([name, bytes]) => [name, Buffer.from(bytes).toString('hex')]),
  );
  const header = {
    org,
    subject: { flow, trail },
    number,
    kind,
    at,
    ...(record !== undefined && { record }),
    commitments,
  };
  return linkEntry(DOMAIN, previous, header);
}

/** A stored moment with its parsed texts as `content`. */
export type Moment = StoredMoment & { content: MomentContent };

/**
 * Reads a stored moment, and compares its texts and its header with its hash (rules/trails.md#reading-what-was-accepted).
 *
 * @throws RecordDiffers if something of the item is not what the hash of the moment stands for
 */
export function readMoment(item: Item): Moment {
  const moment = storedMoment(item);
  const { number, name, detailsSalt, erased } = moment;
  const content = contentOf(moment);
  const differs = (difference: string) => {
    throw new RecordDiffers(`moment ${number} of trail ${name}`, difference);
  };
  const [org] = item.pk.split('#');
  if (!isSameDigest(entryHash(momentEntry(storedId(org ?? ''), moment)), moment.hash))
    differs('its texts and its header do not have its hash');
  if (!detailsSalt && !erased) differs('its details have no salt, and were not erased');
  if (content.names.trail !== name) differs(`it belongs to trail ${content.names.trail}`);
  return { ...moment, content };
}

/** Returns the content of the texts of a moment, without a comparison. */
export const contentOf = ({ body, details }: Pick<MomentItem, 'body' | 'details'>): MomentContent =>
  momentContent(LastingMoment.parse(JSON.parse(body)), MomentDetails.parse(JSON.parse(details)));
/** A trail by the ids of its moments. */
interface TrailIds {
  flow: FlowId;
  trail: TrailId;
}

/** Names a moment of a trail by what its entry in the log has. */
export const momentOf = ({ flow, trail }: TrailIds, number: number): ChainedRecord => ({
  kind: 'trail',
  flow,
  trail,
  number,
});

/**
 * Requires that moments of one trail follow each other without a gap.
 *
 * @throws RecordGone for the first moment that is missing
 */
export function requireMoments(
  trail: TrailIds,
  moments: readonly Pick<Moment, 'number'>[],
  range: { from: number; to?: number },
): void {
  const numbers = moments.map(({ number }) => number);
  requireSuccessive(numbers, range, (number) => momentOf(trail, number));
}

/** Reads the moments of a trail from one number to another, both included, ascending. */
export async function readMoments(
  table: Table,
  org: OrganizationId,
  flow: FlowId,
  trail: TrailName,
  range: { from: number; to: number },
): Promise<Moment[]> {
  if (range.from > range.to) return [];
  const pk = momentPartition(org, flow, trail);
  const items = await table.query({ pk, from: sequence(range.from), to: sequence(range.to) });
  return items.map(readMoment);
}

/** Whether a trail has a moment with this number. */
export const hasMoment = async (table: Table, org: OrganizationId, flow: FlowId, trail: TrailName, number: number) =>
  (await table.get(momentKey(org, flow, trail, number))) !== undefined;

/** Returns the id of a trail by the first of its moments that is stored; null if the trail has none. */
export async function findTrailId(table: Table, org: OrganizationId, flow: FlowId, trail: TrailName) {
  const [first] = await table.query({ pk: momentPartition(org, flow, trail), limit: 1 });
  return first ? storedMoment(first).trail : null;
}

/** Reads all moments of a trail from their items. @throws RecordGone if one before the last is missing */
export function readAllMoments(items: readonly Item[]): Moment[] {
  const moments = items.map(readMoment);
  const [first] = moments;
  if (first) requireMoments(first, moments, { from: 1 });
  return moments;
}

/** Reads all moments of several trails, each ascending, 50 trails with one call. */
export async function readMomentsOfTrails(
  table: Table,
  org: OrganizationId,
  trails: readonly { flow: FlowId; trail: TrailName }[],
): Promise<Moment[][]> {
  const found = await table.queryEach(trails.map(({ flow, trail }) => ({ pk: momentPartition(org, flow, trail) })));
  return found.map(readAllMoments);
}

/**
 * Reads the attestations of a trail that are on one page, newest first, as moments. Each moment counts the attestations up
 * to it, so that the moments before the page and after it are not read.
 */
export async function readAttestationsPage(
  table: Table,
  org: OrganizationId,
  { flow, trail }: { flow: FlowId; trail: TrailName },
  { page, perPage }: { page: number; perPage: number },
): Promise<{ total: number; moments: Moment[] }> {
  const newest = await table.query({ pk: momentPartition(org, flow, trail), newestFirst: true, limit: 1 });
  const [end] = newest.map(readMoment);
  if (!end) return { total: 0, moments: [] };
  const { number } = end;
  const { attestations: total } = end.content;
  const last = total - (page - 1) * perPage;
  if (last < 1) return { total, moments: [] };
  const first = Math.max(1, last - perPage + 1);
  // The moment of attestation n has number n or, after other moments, a higher one.
  const others = number - total;
  const moments = await readMoments(table, org, flow, trail, { from: first, to: last + others });
  const isOnPage = ({ content: { changes, attestations } }: Moment) =>
    hasAttestation(changes) && attestations >= first && attestations <= last;
  return { total, moments: moments.filter(isOnPage).reverse() };
}

/**
 * Computes the state of a trail at an instant by a fold of its moments (rules/trails.md#as-of-an-instant).
 *
 * @param moments all moments of the trail, ascending
 * @param at microseconds; without it the state after all moments is returned
 * @returns number 0 if the trail had no moment yet
 * @throws RecordDiffers if a moment does not follow the one before
 * @throws RecordGone if a moment is missing
 */
export function stateAsOf(moments: readonly Moment[], at: Micros = micros(Number.POSITIVE_INFINITY)): TrailState {
  let state = EMPTY_TRAIL;
  let previous: Uint8Array = FIRST_PREVIOUS;
  for (const moment of moments) {
    if (moment.at > at) break;
    if (moment.number !== state.number + 1) throw new RecordGone(momentOf(moment, state.number + 1));
    if (!isSameDigest(moment.previous, previous))
      throw new RecordDiffers(
        `moment ${moment.number} of trail ${moment.name}`,
        `it does not follow moment ${state.number}`,
      );
    previous = moment.hash;
    state = applyMoment(state, { kind: moment.kind, at: moment.at, ...moment.content });
  }
  return state;
}

/**
 * Returns the write that erases the details of a moment: their salt goes, and of their text only `rest` stays
 * (rules/erasure.md#erased-moment). The text under `moment`, the header, its commitments and the hash do not change.
 */
export const momentErasureWrite = (
  org: OrganizationId,
  moment: Moment,
  rest: MomentDetails,
  erased: Erasure,
): Write<'again'> => ({
  update: momentKey(org, moment.flow, moment.name, moment.number),
  ...change(
    {
      set: { details: detailsText(rest), erased, 'pledges.details': commitmentsOf(moment)['details'] },
      remove: ['detailsSalt'],
    },
    unchanged(moment, 'details'),
  ),
  refused: again,
});
