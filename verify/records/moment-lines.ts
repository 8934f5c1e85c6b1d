import * as z from 'zod';
import { FlowId, TrailId } from '#shared/base/ids.ts';
import { LastingMoment, MomentDetails } from '#shared/evidence/rules/moment-texts.ts';
import { MOMENT_KINDS } from '#shared/evidence/rules/trail-state.ts';
import { Fault } from '../fault.ts';
import { type Standing, standingAt } from '../scope.ts';
import { Erased } from './bodies.ts';
import { Commitments, fitting, Hex32, Instant, LogIndex, parsed } from './lines.ts';
import type { ProofState } from './proof-state.ts';

const MomentLine = z.strictObject({
  item: z.literal('moment'),
  number: z.int().min(1),
  kind: z.enum(MOMENT_KINDS),
  at: Instant,
  flow: FlowId,
  trail: TrailId,
  name: z.string(),
  record: z.string().optional(),
  body: z.string(),
  salt: Hex32,
  details: z.string(),
  /** Absent once the moment was erased. */
  detailsSalt: Hex32.optional(),
  erased: Erased.optional(),
  commitments: Commitments,
  previous: z.string(),
  hash: z.string(),
  log_index: LogIndex,
});
export type MomentLine = z.infer<typeof MomentLine>;

const WHAT = 'text of the moment';

/** The names that commitments of a moment can have, besides `moment` and `details`. */
const OTHERS = [[], ['record', 'facts'], ['fields']].map((names) => names.toSorted().join());

export const readMomentLine = (place: string, record: unknown): MomentLine => fitting(place, MomentLine, record);

export interface ProvedMoment {
  lasting: LastingMoment;
  details: MomentDetails;
  /** Index of its entry; undefined if it came after the checkpoint. Then nothing may be decided by it. */
  index: number | undefined;
  standing: Standing;
}

/** Verifies a moment by itself: its entry in the log, and its own texts. */
export function verifyMoment(proofs: ProofState, place: string, moment: MomentLine): ProvedMoment {
  const { flow, trail, number, kind, at, record, commitments, previous, hash, body, salt, details } = moment;
  const index = proofs.link({
    place,
    subject: { kind: 'trail', flow, trail, number },
    domain: 'delivery-evidence/trail',
    header: { subject: { flow, trail }, number, kind, at, ...(record !== undefined && { record }), commitments },
    previous,
    hash,
    index: moment.log_index,
  });
  const { moment: own, details: erasable, ...others } = commitments;
  const names = Object.keys(others).toSorted();
  if (!OTHERS.includes(names.join()) || (names.length === 2) !== (record !== undefined))
    throw new Fault(place, `this version knows no moment with the commitments ${Object.keys(commitments).join(', ')}`);
  proofs.open(place, 'moment', { salt, text: body }, own);
  const lasting = fitting(place, LastingMoment, parsed(place, body, WHAT));
  if (lasting.names.trail !== moment.name)
    throw new Fault(place, `the line names trail ${moment.name}, the moment trail ${lasting.names.trail}`);
  return {
    lasting,
    details: fitting(place, MomentDetails, parsed(place, details, WHAT)),
    index,
    standing: verifyDetails(proofs, place, moment, { index, commitment: erasable }),
  };
}

function verifyDetails(
  proofs: ProofState,
  place: string,
  { details, detailsSalt, erased }: MomentLine,
  { index, commitment }: { index: number | undefined; commitment: string | undefined },
): Standing {
  if (detailsSalt === undefined) {
    if (erased === undefined) throw new Fault(place, 'the details have no salt and were not erased');
    return proofs.erased(place, index, 'details');
  }
  if (erased !== undefined) throw new Fault(place, 'the moment is marked as erased, and its details have their salt');
  proofs.open(place, 'details', { salt: detailsSalt, text: details }, commitment);
  return standingAt(index);
}
