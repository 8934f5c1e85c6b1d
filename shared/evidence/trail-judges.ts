import type { OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { TrailPlace } from './records/artifact-trails.ts';
import { loadTemplates } from './records/templates.ts';
import type { TrailHead } from './records/trail-items.ts';
import { readTrailStates } from './records/trails.ts';
import type { TrailState } from './rules/trail-state.ts';
import { type TrailJudge, trailJudge } from './rules/verdict.ts';

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
 * Reads trails with their judges, for the effective verdicts of artifacts (rules/trails.md#effective-verdict). Each trail is
 * read once, and all trails at the same time.
 *
 * @returns by {@link placeKey}; trails that do not exist are left out
 */
export async function readTrailJudges(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  places: readonly TrailPlace[],
): Promise<Map<string, JudgedTrail>> {
  const trails = [...new Map(places.map((place) => [placeKey(place), place]))];
  const read = await readTrailStates(
    table,
    org,
    trails.map(([, place]) => place),
  );
  const digests = read.flatMap((trail) => trail?.state.template ?? []);
  const templateOf = await loadTemplates(table, objects, org, digests);
  const judged = new Map<string, JudgedTrail>();
  for (const [i, [key]] of trails.entries()) {
    const trail = read[i];
    if (trail) judged.set(key, { ...trail, judge: trailJudge(trail.state, templateOf(trail.state.template)) });
  }
  return judged;
}
