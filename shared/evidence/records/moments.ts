import { commitment } from '#shared/base/digests.ts';
import type { FlowId, Id, OrganizationId, TrailId } from '#shared/base/ids.ts';
import { randomBytes } from '#shared/base/random.ts';
import type { Micros } from '#shared/base/time.ts';
import type { PreparedBody } from '#shared/bodies/bodies.ts';
import { sequence } from '#shared/table/keys.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { type ChainHeader, FIRST_PREVIOUS, linkHash } from '../rules/hash-chain.ts';
import { applyMoment, EMPTY_TRAIL, type MomentKind, type TrailState } from '../rules/trail-state.ts';
import { momentPartition } from './keys.ts';
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

/** What a draft has of bodies apart: each is pledged in the header by its own commitment. */
interface Bodies {
  kind: MomentKind;
  record?: { id: Id; pledge: Uint8Array };
  fields?: { body: PreparedBody };
}

/** The attributes of a moment's item, its hash computed over the header (design §2.4, §2.5). */
export function sealMoment(place: Place, draft: Bodies, body: MomentBody): Omit<MomentItem, 'sk'> {
  const { org, flow, trail, number, at, previous } = place;
  const text = JSON.stringify(body);
  const salt = randomBytes(32);
  const pledges: Record<string, Uint8Array> = {
    moment: commitment(salt, text),
    ...(draft.record && { record: draft.record.pledge }),
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
    ...{ kind: draft.kind, at, flow, trail: trail.id, name: trail.name, body: text, salt, pledges, previous },
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
    record: Id | undefined;
    pledges: Record<string, Uint8Array>;
  },
): ChainHeader {
  const { flow, trail, number, kind, at, record, pledges } = moment;
  const commitments = Object.fromEntries(
    Object.entries(pledges).map(([name, pledge]) => [name, Buffer.from(pledge).toString('hex')]),
  );
  return { org, subject: { flow, trail }, number, kind, at, ...(record !== undefined && { record }), commitments };
}

/** A moment as it was stored, its body read. */
export type Moment = MomentItem & { number: number; said: MomentBody };

export function readMoment(item: Item): Moment {
  const moment = MomentItem.parse(item);
  return { ...moment, number: Number(moment.sk), said: MomentBody.parse(JSON.parse(moment.body)) };
}

/** Moments of a trail from one number to another, both included, ascending. */
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

/** The state of a trail as of an instant, folded from its moments; number 0 when it had none by then (design §2.5). */
export function stateAsOf(moments: readonly Moment[], at: Micros = Number.POSITIVE_INFINITY): TrailState {
  let state = EMPTY_TRAIL;
  for (const moment of moments) {
    if (moment.at > at) break;
    state = applyMoment(state, { kind: moment.kind, at: moment.at, ...moment.said });
  }
  return state;
}

/**
 * Verifies the chain of a trail's moments from the first on.
 * @returns the number of the first moment that does not fit, or null when all do
 */
export function firstBrokenLink(org: OrganizationId, moments: readonly Moment[]): number | null {
  let previous: Uint8Array = FIRST_PREVIOUS;
  for (const [i, moment] of moments.entries()) {
    const header = headerOf(org, { ...moment, record: moment.record });
    const sound =
      moment.number === i + 1 &&
      Buffer.compare(moment.previous, previous) === 0 &&
      Buffer.compare(commitment(moment.salt, moment.body), moment.pledges['moment'] ?? new Uint8Array()) === 0 &&
      Buffer.compare(linkHash(DOMAIN, previous, header), moment.hash) === 0;
    if (!sound) return moment.number;
    previous = moment.hash;
  }
  return null;
}
