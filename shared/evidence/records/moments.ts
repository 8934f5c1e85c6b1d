import { commitment } from '#shared/base/digests.ts';
import type { FlowId, Id, OrganizationId, TrailId } from '#shared/base/ids.ts';
import { randomBytes } from '#shared/base/random.ts';
import { again } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import type { PreparedBody } from '#shared/bodies/bodies.ts';
import type { Erasure } from '#shared/bodies/erasure.ts';
import { sequence } from '#shared/table/keys.ts';
import type { Item, Table, Write } from '#shared/table/table.ts';
import { type ChainHeader, entryHash, FIRST_PREVIOUS, linkEntry, linkHash } from '../rules/hash-chain.ts';
import { applyMoment, EMPTY_TRAIL, hasAttestation, type MomentKind, type TrailState } from '../rules/trail-state.ts';
import { momentKey, momentPartition } from './keys.ts';
import { MomentBody, MomentItem } from './trail-items.ts';

const DOMAIN = 'delivery-evidence/trail';

interface Place {
  org: OrganizationId;
  flow: FlowId;
  trail: { id: TrailId; name: string };
  number: number;
  at: Micros;
  previous: Uint8Array;
}

/** The bodies of a moment besides its own. The header holds a commitment to each (rules/trails.md#commitments). */
interface Bodies {
  kind: MomentKind;
  record?: { id: Id; commitment: Uint8Array };
  fields?: { body: PreparedBody };
}

/**
 * Returns the attributes of a moment's item, with the hash that links it to the previous moment (rules/trails.md#link).
 */
export function sealMoment(place: Place, draft: Bodies, body: MomentBody): Omit<MomentItem, 'sk'> {
  const { org, flow, trail, number, at, previous } = place;
  const text = JSON.stringify(body);
  const salt = randomBytes(32);
  const pledges: Record<string, Uint8Array> = {
    moment: commitment(salt, text),
    ...(draft.record && { record: draft.record.commitment }),
    ...(draft.fields && { fields: draft.fields.body.commitment }),
  };
  const header = headerOf(org, {
    flow,
    trail: trail.id,
    number,
    kind: draft.kind,
    at,
    record: draft.record?.id,
    pledges,
  });
  return {
    kind: draft.kind,
    at,
    flow,
    trail: trail.id,
    name: trail.name,
    body: text,
    salt,
    pledges,
    previous,
    ...(draft.record && { record: draft.record.id }),
    hash: linkHash(DOMAIN, previous, header),
  };
}

function headerOf(
  org: OrganizationId,
  moment: {
    flow: FlowId;
    trail: TrailId;
    number: number;
    kind: string;
    at: Micros;
    record?: Id | undefined;
    pledges: Record<string, Uint8Array>;
  },
): ChainHeader {
  const { flow, trail, number, kind, at, record, pledges } = moment;
  const commitments = Object.fromEntries(
    Object.entries(pledges).map(([name, bytes]) => [name, Buffer.from(bytes).toString('hex')]),
  );
  return { org, subject: { flow, trail }, number, kind, at, ...(record !== undefined && { record }), commitments };
}

/** Rebuilds the entry of a moment for the log: the bytes whose SHA-256 is the moment's hash (rules/log.md#entries). */
export const momentEntry = (org: OrganizationId, moment: MomentItem & { number: number }): Buffer =>
  linkEntry(DOMAIN, moment.previous, headerOf(org, moment));

/** A stored moment with its parsed body as `content`. */
export type Moment = MomentItem & { number: number; content: MomentBody };

export function readMoment(item: Item): Moment {
  const moment = MomentItem.parse(item);
  return { ...moment, number: Number(moment.sk), content: MomentBody.parse(JSON.parse(moment.body)) };
}

/** Reads the moments of a trail from one number to another, both included, ascending. */
export async function readMoments(
  table: Table,
  org: OrganizationId,
  flow: FlowId,
  trail: string,
  range: { from: number; to: number },
): Promise<Moment[]> {
  if (range.from > range.to) return [];
  const pk = momentPartition(org, flow, trail);
  const items = await table.query({ pk, from: sequence(range.from), to: sequence(range.to) });
  return items.map(readMoment);
}

/** Reads all moments of several trails, each ascending, 50 trails with one call. */
export async function readMomentsOfTrails(
  table: Table,
  org: OrganizationId,
  trails: readonly { flow: FlowId; trail: string }[],
): Promise<Moment[][]> {
  const found = await table.queryEach(trails.map(({ flow, trail }) => ({ pk: momentPartition(org, flow, trail) })));
  return found.map((items) => items.map(readMoment));
}

/**
 * Reads the attestations of a trail that are on one page, newest first, as moments. Each moment counts the attestations up
 * to it, so that the moments before the page and after it are not read.
 *
 * @returns null if an earlier release began the trail: its moments do not count
 */
export async function readAttestationsPage(
  table: Table,
  org: OrganizationId,
  { flow, trail }: { flow: FlowId; trail: string },
  { page, perPage }: { page: number; perPage: number },
): Promise<{ total: number; moments: Moment[] } | null> {
  const newest = await table.query({ pk: momentPartition(org, flow, trail), newestFirst: true, limit: 1 });
  const [end] = newest.map(readMoment);
  if (!end) return { total: 0, moments: [] };
  const { number, attestations: total } = end;
  if (total === undefined) return null;
  const last = total - (page - 1) * perPage;
  if (last < 1) return { total, moments: [] };
  const first = Math.max(1, last - perPage + 1);
  // The moment of attestation n has number n or, after other moments, a higher one.
  const others = number - total;
  const moments = await readMoments(table, org, flow, trail, { from: first, to: last + others });
  const isOnPage = ({ attestations = 0, content }: Moment) =>
    hasAttestation(content.changes) && attestations >= first && attestations <= last;
  return { total, moments: moments.filter(isOnPage).reverse() };
}

/**
 * Computes the state of a trail at an instant by a fold of its moments (rules/trails.md#as-of-an-instant).
 *
 * @param moments all moments of the trail, ascending
 * @param at microseconds; without it the state after all moments is returned
 * @returns number 0 if the trail had no moment yet
 */
export function stateAsOf(moments: readonly Moment[], at: Micros = Number.POSITIVE_INFINITY): TrailState {
  let state = EMPTY_TRAIL;
  for (const moment of moments) {
    if (moment.at > at) break;
    state = applyMoment(state, { kind: moment.kind, at: moment.at, ...moment.content });
  }
  return state;
}

/**
 * Verifies the hash chain of a trail (rules/trails.md#verify-a-chain). The body of an erased moment has no salt any
 * more, so nothing can be said about this body.
 *
 * @param moments all moments of the trail, ascending
 * @returns the number of the first moment that does not fit, or null if all fit
 */
export function firstBrokenLink(org: OrganizationId, moments: readonly Moment[]): number | null {
  let previous: Uint8Array = FIRST_PREVIOUS;
  for (const [i, moment] of moments.entries()) {
    const fits =
      moment.number === i + 1 &&
      Buffer.compare(moment.previous, previous) === 0 &&
      isOpening(moment) &&
      Buffer.compare(entryHash(momentEntry(org, moment)), moment.hash) === 0;
    if (!fits) return moment.number;
    previous = moment.hash;
  }
  return null;
}

/** Whether the body of a moment is the one that its header commits to, as far as the moment was not erased. */
const isOpening = ({ salt, body, pledges, erased }: Moment): boolean =>
  salt
    ? Buffer.compare(commitment(salt, body), pledges['moment'] ?? new Uint8Array()) === 0
    : erased !== undefined && pledges['moment'] !== undefined;

/**
 * Returns the write that erases the body of a moment: the salt goes, and of the text only `rest` stays
 * (rules/erasure.md#erased-moment). The header, its commitments and the hash do not change.
 */
export const momentErasureWrite = (
  org: OrganizationId,
  { flow, name, number, body }: Moment,
  rest: MomentBody,
  erased: Erasure,
): Write<'again'> => ({
  update: momentKey(org, flow, name, number),
  UpdateExpression: 'SET #body = :rest, #erased = :erased REMOVE #salt',
  ConditionExpression: '#body = :body',
  ExpressionAttributeNames: { '#body': 'body', '#erased': 'erased', '#salt': 'salt' },
  ExpressionAttributeValues: { ':body': body, ':rest': JSON.stringify(rest), ':erased': erased },
  refused: again,
});
