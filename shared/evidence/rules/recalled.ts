import { type Micros, toSeconds } from '#shared/base/time.ts';
import { type Recall, type RecallTerms, recalledBy } from '#shared/signers/rules/recalls.ts';
import { type SlotProof, signedOf } from './slot-proof.ts';
import {
  type AttestationSlot,
  applyMoment,
  EMPTY_TRAIL,
  type MomentChange,
  type RecalledSlot,
  type RecallName,
  type SlotChange,
  type TrailState,
} from './trail-state.ts';

/** Which evidence of a trail does not count, because recalls match its signatures (rules/verified-evidence.md#effect-of-recalls). */

interface Reported {
  proof?: SlotProof | undefined;
  at: Micros;
}

/** Returns those of recalls that the signature of a record matches. Records without a signature match none. */
export function matchingRecalls<R extends RecallTerms & Pick<Recall, 'deleted'>>(
  { proof, at }: Reported,
  recalls: readonly R[],
): R[] {
  const signed = proof && signedOf(proof);
  return signed ? recalledBy(signed, at, recalls) : [];
}

/** Returns how answers name the recalls that the signature of a record matches. */
export const recallsOf = (reported: Reported, recalls: readonly Recall[]): RecallName[] =>
  matchingRecalls(reported, recalls).map(({ name, version, changedAt }) => ({
    name,
    version,
    since: toSeconds(changedAt),
  }));

/** Whether a slot has a signature, so that recalls can concern the trail. Most trails have none, and need no recalls. */
export const hasSignature = ({ attestations }: Pick<TrailState, 'attestations'>): boolean =>
  [...attestations.values()].some(({ proof }) => proof?.signature !== undefined);

/** Returns the slots whose latest records are recalled, in the order of the slots. */
export function recalledSlots({ attestations }: TrailState, recalls: readonly Recall[]): RecalledSlot[] {
  if (recalls.length === 0) return [];
  return [...attestations.values()].flatMap((slot): RecalledSlot[] => {
    const { scope, name, type, id } = slot;
    const named = recallsOf(slot, recalls);
    return named.length === 0 ? [] : [{ scope, name, type, id, recalls: named }];
  });
}

/**
 * Returns the state by what counts: as if recalled records had never been reported. So a slot has the record before them, or is empty.
 *
 * @param moments of the trail up to the state, ascending
 * @param recalled slots of {@link recalledSlots}, which the state names
 */
export function countedState(
  state: TrailState,
  moments: readonly MomentChange[],
  recalls: readonly Recall[],
  recalled: readonly RecalledSlot[],
): TrailState {
  const isCounted = (at: Micros) => (change: SlotChange) =>
    change.kind !== 'attestation' || matchingRecalls({ proof: change.proof, at }, recalls).length === 0;
  const counted = moments.reduce(
    (before, moment) => applyMoment(before, { ...moment, changes: moment.changes.filter(isCounted(moment.at)) }),
    EMPTY_TRAIL,
  );
  return { ...state, attestations: withFirst(counted.attestations, state.attestations), recalled };
}

/**
 * Returns a state of the past, which says what of it was recalled since: the verdict stays.
 *
 * @param state as it counted then; what was recalled before is not in its slots
 */
export function withRecalledSince(state: TrailState, recalls: readonly Recall[]): TrailState {
  const since = recalledSlots(state, recalls);
  // An entry shows the first record of its slot: one that counted then says more than a newer one that did not.
  return since.length === 0 ? state : { ...state, recalled: [...since, ...(state.recalled ?? [])] };
}

/** Keeps the order of entries: a slot keeps the place that its first record gave it, whether that one counts or not. */
const withFirst = (
  counted: TrailState['attestations'],
  all: TrailState['attestations'],
): ReadonlyMap<string, AttestationSlot> =>
  new Map([...counted].map(([key, slot]) => [key, { ...slot, first: all.get(key)?.first ?? slot.first }]));
