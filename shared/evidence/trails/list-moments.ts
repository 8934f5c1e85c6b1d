import type { FlowName, TrailName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { type Moment, readMoments, requireMoments } from '../records/moments.ts';
import { readBesideFlow, readTrailHead } from '../records/trails.ts';
import { momentsNotFound } from '../rules/sentences.ts';

export type { Moment };

/**
 * Reads one page of the moments of a trail, by ascending number (rules/trails.md#list-moments).
 *
 * @throws ServiceError `not-found` if there is no such trail
 */
export async function listMoments(
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  target: { flow: FlowName; trail: TrailName },
  { page, perPage }: { page: number; perPage: number },
): Promise<{ total: number; moments: Moment[] }> {
  const { flow, beside: head } = await readBesideFlow(table, org.id, target.flow, (id) =>
    readTrailHead(table, org.id, id, target.trail),
  );
  if (!flow || !head) throw momentsNotFound();
  const from = (page - 1) * perPage + 1;
  const range = { from, to: Math.min(head.number, from + perPage - 1) };
  const moments = await readMoments(table, org.id, flow.id, target.trail, range);
  requireMoments({ flow: flow.id, trail: head.id }, moments, range);
  return { total: head.number, moments };
}
