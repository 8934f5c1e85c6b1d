import * as z from 'zod';
import { type FlowId, firstIdAt, type OrganizationId, storedId } from '#shared/base/ids.ts';
import { AnyTrailName } from '#shared/base/names.ts';
import { type Duration, minus } from '#shared/base/time.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import { firstEntries, readMonths } from '#shared/series/series-entries.ts';
import { endsOfTrails } from '../chain-ends.ts';
import { type ChainPositions, readChainPositions, saveChainPositions } from '../records/chain-positions.ts';
import { readStatementsAfter } from '../records/statements.ts';
import { type MissingEntries, sendMissingEnds, sendMissingStatements } from './missing-entries.ts';

/** How far back a trail counts as recent: longer than the walk over all organizations takes. */
const RECENT: Duration = 3 * 24 * 3600 * 1_000_000;
const RECENT_TRAILS = 100;
/** Trails of one call, whatever their age. */
const TRAILS = 20;

const ListedTrail = z.object({
  id: z.string(),
  f: z.string().transform((id) => storedId<FlowId>(id)),
  t: AnyTrailName,
});

/**
 * Sends moments and statements to the integrator whose stream record was lost, and that no other sweep can find by their
 * time (`rules/storage.md#lost-effects`): the newest moments of trails, and statements. One call checks a portion of the
 * recent trails, of all trails and of all statements, from the stored positions on. Behind the last one it begins again.
 *
 * @returns whether the recent trails were checked up to the newest
 */
export async function sweepChains(context: MissingEntries, org: OrganizationId): Promise<boolean> {
  const { table, clock } = context.services;
  const now = clock.now();
  const [positions, months] = await Promise.all([
    readChainPositions(table, org),
    readMonths(table, org, 'trails', now),
  ]);
  const trailsAfter = async (after: string, limit: number) => {
    const listed = await firstEntries(table, org, 'trails', months, after === '' ? undefined : `${after}\0`, limit);
    return listed.map((entry) => ListedTrail.parse(entry));
  };
  const oldest = firstIdAt(minus(now, RECENT));
  const [recent, trails, statements] = await Promise.all([
    trailsAfter(positions.recent > oldest ? positions.recent : oldest, RECENT_TRAILS),
    trailsAfter(positions.trails, TRAILS),
    readStatementsAfter(table, org, positions.statements),
  ]);
  const checked = new Map([...recent, ...trails].map(({ id, f, t }) => [id, { flow: f, trail: t }]));
  const ends = await endsOfTrails(table, org, [...checked.values()]);
  // The message of a younger moment may still be under way.
  const settled = minus(now, SETTLING_MICROS);
  await sendMissingEnds(
    context,
    org,
    ends.filter(({ at }) => at <= settled),
  );
  await sendMissingStatements(context, org, statements.found, settled);
  const next: ChainPositions = {
    recent: recent.length < RECENT_TRAILS ? '' : (recent.at(-1)?.id ?? ''),
    trails: trails.length < TRAILS ? '' : (trails.at(-1)?.id ?? ''),
    statements: statements.next,
  };
  await saveChainPositions(table, org, positions, next);
  return next.recent === '';
}
