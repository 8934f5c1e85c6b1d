import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { readRecalls } from '#shared/signers/read-recalls.ts';
import type { Table } from '#shared/table/table.ts';
import { countedStates } from './counted-trails.ts';
import type { TrailPlace } from './records/artifact-trails.ts';
import { loadTemplates } from './records/templates.ts';
import type { TrailHead } from './records/trail-items.ts';
import { readTrailStates } from './records/trails.ts';
import type { TrailState } from './rules/trail-state.ts';
import { type StatusWord, type TrailJudge, trailJudge } from './rules/verdict.ts';

/** A trail with the judge of its state. */
interface JudgedTrail {
  head: TrailHead;
  state: TrailState;
  judge: TrailJudge;
}

/** The judges of trails, by {@link placeKey}. */
export type TrailJudges = ReadonlyMap<string, Pick<JudgedTrail, 'judge'>>;

export const placeKey = ({ flow, trail }: TrailPlace): string => `${flow}#${trail}`;

/**
 * Reads the verdict words of trails by what counts. The word of a head is that of everything that was reported.
 *
 * @param signed trails in which a slot has a signature; without any, and without recalls, no trail is read
 * @returns by {@link placeKey}, for trails whose word may differ from that of the head
 */
export async function readCountedWords(
  stores: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  signed: readonly TrailPlace[],
): Promise<ReadonlyMap<string, StatusWord>> {
  if (signed.length === 0 || (await readRecalls(stores.table, org)).length === 0) return new Map();
  const judged = await readTrailJudges(stores, org, signed);
  return new Map([...judged].map(([key, { judge }]) => [key, judge.status().status]));
}

/** A trail that was read, with its place. */
interface PlacedTrail {
  key: string;
  place: TrailPlace;
  head: TrailHead;
  state: TrailState;
}

/** Reads trails once each, all at the same time. Trails that do not exist are left out. @returns with their {@link placeKey} */
export async function readPlacedTrails(
  table: Table,
  org: OrganizationId,
  places: readonly TrailPlace[],
): Promise<PlacedTrail[]> {
  const distinct = [...new Map(places.map((place) => [placeKey(place), place]))];
  const read = await readTrailStates(
    table,
    org,
    distinct.map(([, place]) => place),
  );
  return distinct.flatMap(([key, place], i) => {
    const trail = read[i];
    return trail ? [{ key, place, ...trail }] : [];
  });
}

/**
 * Reads trails with their judges, for the effective verdicts of artifacts (rules/trails.md#effective-verdict). Each trail is
 * read once, and all trails at the same time. They are judged by what counts: without recalled evidence.
 *
 * @param at an instant of the past by whose recalls they are judged, as {@link countedStates} says
 * @returns by {@link placeKey}; trails that do not exist are left out
 */
export async function readTrailJudges(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  places: readonly TrailPlace[],
  at?: Micros,
): Promise<Map<string, JudgedTrail>> {
  const found = await readPlacedTrails(table, org, places);
  const digests = found.flatMap(({ state }) => state.template ?? []);
  const [templateOf, states] = await Promise.all([
    loadTemplates(table, objects, org, digests),
    countedStates(table, org, found, at),
  ]);
  const judged = new Map<string, JudgedTrail>();
  for (const [i, { key, head, state: stored }] of found.entries()) {
    const state = states[i] ?? stored;
    judged.set(key, { head, state, judge: trailJudge(state, templateOf(state.template)) });
  }
  return judged;
}
