import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { readRecalls } from '#shared/signers/read-recalls.ts';
import { readRecallsSince } from '#shared/signers/read-recalls-at.ts';
import type { Recall } from '#shared/signers/rules/recalls.ts';
import type { Table } from '#shared/table/table.ts';
import type { TrailPlace } from './records/artifact-trails.ts';
import { type Moment, readMomentsOfTrails } from './records/moments.ts';
import type { TrailRecord } from './records/trail-records.ts';
import { countedState, hasSignature, recalledSlots, withRecalledSince } from './rules/recalled.ts';
import type { TrailState } from './rules/trail-state.ts';

/** A trail with the state that its slots hold. */
interface PlacedState {
  place: TrailPlace;
  state: TrailState;
}

/**
 * Returns the states of trails by what counts: without the evidence that is recalled (rules/verified-evidence.md#effect-of-recalls).
 * Trails without signatures cost nothing. The others cost one Query of the recalls, and those with recalled evidence one of their
 * moments each, 50 trails with one call.
 *
 * @param at an instant of the past: states are counted by the recalls that there were then, and say what was recalled since. Recalls
 *   that changed since cost a Query each
 * @returns in the order of `trails`
 */
export async function countedStates(
  table: Table,
  org: OrganizationId,
  trails: readonly PlacedState[],
  at?: Micros,
): Promise<TrailState[]> {
  const states = trails.map(({ state }) => state);
  if (!states.some(hasSignature)) return states;
  if (at === undefined) return statesBy(table, org, trails, await readRecalls(table, org));
  const { past, now } = await readRecallsSince(table, org, at);
  return (await statesBy(table, org, trails, past)).map((state) => withRecalledSince(state, now));
}

async function statesBy(
  table: Table,
  org: OrganizationId,
  trails: readonly PlacedState[],
  recalls: readonly Recall[],
): Promise<TrailState[]> {
  const states = trails.map(({ state }) => state);
  const recalled = states.map((state) => recalledSlots(state, recalls));
  const concerned = [...trails.keys()].filter((i) => (recalled[i] ?? []).length > 0);
  if (concerned.length === 0) return states;
  const moments = await readMomentsOfTrails(
    table,
    org,
    concerned.flatMap((i) => trails[i]?.place ?? []),
  );
  const counted = new Map(concerned.map((i, n) => [i, moments[n] ?? []]));
  return states.map((state, i) => {
    const found = counted.get(i);
    if (!found) return state;
    // A moment can be newer than what was read of the trail.
    const changes = found.filter(({ number }) => number <= state.number).map(changeOf);
    return countedState(state, changes, recalls, recalled[i] ?? []);
  });
}

/** Does the same for one trail. */
export const countedStateOf = async (
  table: Table,
  org: OrganizationId,
  place: TrailPlace,
  state: TrailState,
): Promise<TrailState> => (await countedStates(table, org, [{ place, state }]))[0] ?? state;

/** Returns a trail that was read with its moments, with the state by what counts. */
export function countedTrail<T extends Pick<TrailRecord, 'state' | 'moments'>>(
  trail: T,
  recalls: readonly Recall[],
): T {
  const recalled = recalledSlots(trail.state, recalls);
  if (recalled.length === 0) return trail;
  return { ...trail, state: countedState(trail.state, trail.moments.map(changeOf), recalls, recalled) };
}

const changeOf = ({ kind, at, content }: Moment) => ({ kind, at, ...content });

/** Returns a trail of the past as it was, and says what of it was recalled since. */
export const recalledSince = (trail: TrailRecord, recalls: readonly Recall[]): TrailRecord => ({
  ...trail,
  state: withRecalledSince(trail.state, recalls),
});

/** Reads the recalls of an organization, if a trail has signatures that recalls could match. */
export const recallsFor = async (
  table: Table,
  org: OrganizationId,
  { state }: Pick<TrailRecord, 'state'>,
): Promise<Recall[]> => (hasSignature(state) ? readRecalls(table, org) : []);
