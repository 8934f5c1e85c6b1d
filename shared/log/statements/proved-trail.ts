import { isDeepStrictEqual } from 'node:util';
import type { FlowId, OrganizationId } from '#shared/base/ids.ts';
import { RecordDiffers } from '#shared/base/proofs/record-differs.ts';
import { RecordGone } from '#shared/base/proofs/record-gone.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import {
  hasMoment,
  type Moment,
  momentOf,
  readMoments,
  requireMoments,
  stateAsOf,
} from '#shared/evidence/records/moments.ts';
import { loadTemplate } from '#shared/evidence/records/templates.ts';
import type { TrailHead } from '#shared/evidence/records/trail-items.ts';
import type { Template } from '#shared/evidence/rules/template.ts';
import type { TrailState } from '#shared/evidence/rules/trail-state.ts';
import { trailWord } from '#shared/evidence/rules/verdict.ts';
import { readClaimsFrom } from '../records/claims.ts';
import { recordDiffers, stateDiffers } from '../rules/sentences.ts';

interface ReadTrail {
  flow: FlowId;
  head: Pick<TrailHead, 'id' | 'name' | 'hash' | 'word'>;
  state: TrailState;
}

/** The state of a trail by its moments, and the template in force. */
export interface ProvedTrail {
  /** All moments up to the one of the state, ascending. */
  moments: Moment[];
  last: Moment;
  state: TrailState;
  template: Template;
}

/**
 * Computes the state and the word of a trail again, from its moments, and requires that the log has these moments
 * (rules/log.md#proved-records). Head and slots only cache this state.
 *
 * @returns null if the log does not have the last moment yet
 * @throws RecordGone if a moment is missing
 * @throws ServiceError `broken` if a moment, the head or a slot is not what the log has
 */
export async function proveTrail(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  { flow, head, state: stored }: ReadTrail,
): Promise<ProvedTrail | null> {
  const { number } = stored;
  const ids = { flow, trail: head.id };
  const subject = { kind: 'trail', ...ids, number } as const;
  const [moments, [claim, later]] = await Promise.all([
    readMoments(table, org, flow, head.name, { from: 1, to: number }),
    readClaimsFrom(table, org, subject, 2),
  ]);
  requireMoments(ids, moments, { from: 1, to: number });
  const state = stateAsOf(moments);
  const last = moments.at(-1);
  if (!last) throw new Error(`The trail ${head.id} has a head and no moment`);
  if (last.trail !== head.id) throw new RecordDiffers(`head of trail ${last.name}`, 'it has the id of another trail');
  if (claim?.number !== number) return null;
  // The chain leads from the last moment to all others, so the log has them if it has the last one.
  if (Buffer.compare(claim.hash, last.hash) !== 0) throw recordDiffers({ index: claim.index });
  // A moment can be newer than what was read of the trail. If it is missing, the end of the trail was cut off.
  if (later && !(await hasMoment(table, org, flow, head.name, later.number)))
    throw new RecordGone(momentOf(ids, later.number));
  const template = await loadTemplate(table, objects, org, state.template);
  const word = trailWord(state, template);
  const isSame =
    Buffer.compare(head.hash, last.hash) === 0 &&
    [head.word, last.content.word].every((stated) => stated === word) &&
    isDeepStrictEqual(judged(state), judged(stored));
  if (!isSame) throw stateDiffers({ trail: last.name, index: claim.index });
  return { moments, last, state, template };
}

/** The part of a state that decides verdicts. */
const judged = ({ number, at, template, templateAt, ownTemplate, attestations, artifacts }: TrailState) => ({
  number,
  at,
  template,
  templateAt,
  ownTemplate,
  attestations,
  artifacts,
});
