import type { FlowId, OrganizationId } from '#shared/base/ids.ts';
import type { Services } from '#shared/http/services.ts';
import { loadTemplate } from './records/templates.ts';
import { readTrailState } from './records/trails.ts';
import { type TrailJudge, trailJudge } from './rules/verdict.ts';

export interface TrailPlace {
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
  { table, objects }: Pick<Services, 'table' | 'objects'>,
  org: OrganizationId,
  places: readonly TrailPlace[],
): Promise<TrailJudges> {
  const trails = new Map(places.map((place) => [placeKey(place), place]));
  const judges = [...trails].map(async ([key, { flow, trail }]) => {
    const read = await readTrailState(table, org, flow, trail);
    if (!read) throw new Error(`Records of artifacts name the trail ${trail}, which does not exist`);
    const template = await loadTemplate(table, objects, org, read.state.template);
    return [key, trailJudge(read.state, template)] as const;
  });
  return new Map(await Promise.all(judges));
}
