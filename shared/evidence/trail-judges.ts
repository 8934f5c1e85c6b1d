import type { FlowId, OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { loadTemplates } from './records/templates.ts';
import { readTrailStates } from './records/trails.ts';
import type { TrailState } from './rules/trail-state.ts';
import { type TrailJudge, trailJudge } from './rules/verdict.ts';

interface TrailPlace {
  flow: FlowId;
  trail: string;
}

/** The judges of trails, by {@link placeKey}. */
export type TrailJudges = ReadonlyMap<string, TrailJudge>;

export const placeKey = ({ flow, trail }: TrailPlace): string => `${flow}#${trail}`;

/**
 * Reads the judges of trails, for the effective verdicts of artifacts (rules/trails.md#effective-verdict). Each trail is
 * read once, and all trails at the same time.
 * @throws Error if a trail does not exist, because records of artifacts name existing trails only
 */
export async function readTrailJudges(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  places: readonly TrailPlace[],
): Promise<TrailJudges> {
  const trails = [...new Map(places.map((place) => [placeKey(place), place])).values()];
  const read = await readTrailStates(table, org, trails);
  const states = trails.map((place, i) => {
    const state = read[i]?.state;
    if (!state) throw new Error(`Records of artifacts name the trail ${place.trail}, which does not exist`);
    return { place, state };
  });
  return judgesOf({ table, objects }, org, states);
}

/** Returns the judges of trails that were read already. */
export async function judgesOf(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  states: readonly { place: TrailPlace; state: TrailState }[],
): Promise<TrailJudges> {
  const digests = states.map(({ state }) => state.template);
  const templateOf = await loadTemplates(table, objects, org, digests);
  return new Map(states.map(({ place, state }) => [placeKey(place), trailJudge(state, templateOf(state.template))]));
}
