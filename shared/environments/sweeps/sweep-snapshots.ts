import type { OrganizationId } from '#shared/base/ids.ts';
import { allInOrder, inParallel } from '#shared/base/parallel.ts';
import type { Duration } from '#shared/base/time.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import type { SweepParts } from '#shared/sweeps/sweep-parts.ts';
import { isGroupBehind } from '../append-logical.ts';
import type { EffectsContext, ExpanderServices } from '../effects-context.ts';
import { expansionMessage } from '../expand-message.ts';
import { readEnvironmentHeads } from '../records/environments.ts';
import { readAllExpanded } from '../records/expanded.ts';
import {
  readArchivedEnvironments,
  readReplayedEnvironments,
  recordLost,
  removeArchivedEnvironment,
} from '../records/sweep-positions.ts';
import { ENVIRONMENTS } from '../rules/series-kinds.ts';
import { closeDays } from './close-days.ts';
import { replaySnapshots, sweepAllowed } from './sweep-deliveries.ts';

/** Environments of one organization that are swept at the same time. */
const WIDTH = 4;
/** How long the sweep checks whether the log has a settled snapshot: several sweeps long. */
const CHECKED_FOR: Duration = 1_800_000_000;
/** An alarm counts this message, here and in the sweep of flow events. */
const LOST = 'Events that the stream did not bring were relayed';

/**
 * Hands environments to the expander whose settled snapshots are not expanded, because the stream did not bring them or a
 * message was lost (`rules/storage.md#lost-effects`). An environment has such snapshots if its head has a greater number
 * than the last expanded snapshot. The sweep also hands over logical environments without the snapshot of a change,
 * creates missing deliveries of allow-lists, and closes days in which reports were counted.
 *
 * @returns whether nothing is left: no snapshot waits, and no replay is under way. And the environments whose newest snapshot
 *   settled lately, which the log may lack
 */
export async function sweepSnapshots(context: SweepContext, parts: SweepParts, org: OrganizationId) {
  const { table, expansions } = context.services;
  const [allowed, replayed, { environments, settledLately, catalogue }] = await allInOrder([
    sweepAllowed(context, org),
    replaySnapshots(context, org, parts.isTime),
    readEnvironmentsToSweep(context, org),
  ]);
  await closeDays(context.services, parts, org, catalogue);
  if (allowed + replayed > 0) context.log(LOST, { organization: org, missing: allowed + replayed });
  const groups = inParallel(environments, WIDTH, async ({ head, isAhead, lost }) => {
    const isBehind = await parts.attempt({ organization: org, environment: head.id }, async () => {
      if (head.archived !== null && !isAhead) return removeArchivedEnvironment(table, org, head.id);
      const place = { org, environment: head.id };
      const isGroup = head.kind === 'logical' && head.archived === null;
      const isGroupLate = isGroup && (await isGroupBehind(context, org, head));
      if (isGroupLate) await expansions.send([expansionMessage({ work: 'group', ...place })]);
      if (lost > 0) {
        await expansions.send([expansionMessage({ work: 'expand', ...place })]);
        const isNew = await recordLost(table, org, head.id, head.index);
        if (isNew) context.log(LOST, { organization: org, environment: head.id, missing: lost });
      }
      return isGroupLate;
    });
    return isBehind ?? false;
  });
  const [groupsBehind, toReplay] = await allInOrder([groups, readReplayedEnvironments(table, org)]);
  const isDone = toReplay.length === 0 && !groupsBehind.includes(true) && environments.every(({ isAhead }) => !isAhead);
  return { isDone, settledLately };
}

type SweepContext = EffectsContext & { services: ExpanderServices };

/**
 * Reads the environments of an organization that the sweep may have to handle, archived ones included, and those with a
 * newest snapshot that settled lately.
 */
async function readEnvironmentsToSweep({ services: { table, clock } }: EffectsContext, org: OrganizationId) {
  const [catalogue, archived] = await Promise.all([
    readCatalogue(table, org, ENVIRONMENTS),
    readArchivedEnvironments(table, org),
  ]);
  const ids = [...catalogue.keys(), ...archived];
  const [heads, expanded] = await Promise.all([
    readEnvironmentHeads(table, org, ids),
    readAllExpanded(table, org, ids),
  ]);
  const settled = clock.now() - SETTLING_MICROS;
  const environments = [...heads.values()]
    .map((head) => {
      const { index = 0, at = 0 } = expanded.get(head.id) ?? {};
      const ahead = head.index - index;
      // Recent progress means that the expander is at work.
      const isLost = ahead > 0 && head.at <= settled && at <= settled;
      // `lost`: snapshots that are settled, not expanded and not being expanded.
      return { head, isAhead: ahead > 0, lost: isLost ? ahead : 0 };
    })
    .filter(({ head, isAhead }) => isAhead || head.archived !== null || head.kind === 'logical');
  const settledLately = [...heads.values()].filter(
    ({ index, at }) => index > 0 && at <= settled && at > settled - CHECKED_FOR,
  );
  return { environments, settledLately, catalogue };
}
