import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Micros } from '#shared/base/time.ts';
import { isGroupBehind } from '#shared/environments/append-logical.ts';
import type { EffectsContext } from '#shared/environments/effects-context.ts';
import { expansionMessage } from '#shared/environments/expand-message.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { readEnvironmentHeads } from '#shared/environments/records/environments.ts';
import { readAllExpanded } from '#shared/environments/records/expanded.ts';
import {
  readArchivedEnvironments,
  readReplayedEnvironments,
  recordLost,
  removeArchivedEnvironment,
} from '#shared/environments/records/sweep-positions.ts';
import { replaySnapshots } from '#shared/environments/replay-snapshots.ts';
import { ENVIRONMENTS } from '#shared/environments/rules/series-kinds.ts';
import { sweepAllowed } from '#shared/environments/sweep-allowed.ts';
import type { RelayServices } from '#shared/notifications/services.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import type { SweepParts } from '#shared/sweeps/sweep-parts.ts';
import { sendMissingSnapshots } from './missing-entries.ts';

/** Environments of one organization that are swept at the same time. */
const WIDTH = 4;
/** How long the sweep checks whether the log has a settled snapshot: several sweeps long. */
const CHECKED_FOR: Micros = 1_800_000_000;
/** An alarm counts this message, here and in the sweep of flow events. */
const LOST = 'Events that the stream did not bring were relayed';

/**
 * Hands environments to the expander whose settled snapshots are not expanded, because the stream did not bring them or a
 * message was lost (`rules/storage.md#lost-effects`). An environment has such snapshots if its head has a greater number
 * than the last expanded snapshot. The sweep also hands over logical environments without the snapshot of a change,
 * creates missing deliveries of allow-lists, and sends snapshots that the log does not have to the integrator.
 * @returns whether nothing is left: no snapshot waits, and no replay is under way
 */
export async function sweepSnapshots(relay: SweepContext, parts: SweepParts, org: OrganizationId): Promise<boolean> {
  const { table, expansions } = relay.services;
  const allowed = await sweepAllowed(relay, org);
  const replayed = await replaySnapshots(relay, org, parts.isTime);
  if (allowed + replayed > 0) relay.log(LOST, { organization: org, missing: allowed + replayed });
  const { environments, settledLately } = await readEnvironmentsToSweep(relay, org);
  await sendMissingSnapshots(relay, org, settledLately);
  const groupsBehind = await inParallel(environments, WIDTH, async ({ head, isAhead, lost }) => {
    const isBehind = await parts.attempt({ organization: org, environment: head.id }, async () => {
      if (head.archived !== null && !isAhead) return removeArchivedEnvironment(table, org, head.id);
      const place = { org, environment: head.id };
      const isGroup = head.kind === 'logical' && head.archived === null;
      const isGroupLate = isGroup && (await isGroupBehind(relay, org, head));
      if (isGroupLate) await expansions.send([expansionMessage({ work: 'group', ...place })]);
      if (lost > 0) {
        await expansions.send([expansionMessage({ work: 'expand', ...place })]);
        const isNew = await recordLost(table, org, head.id, head.index);
        if (isNew) relay.log(LOST, { organization: org, environment: head.id, missing: lost });
      }
      return isGroupLate;
    });
    return isBehind ?? false;
  });
  const isReplayed = (await readReplayedEnvironments(table, org)).length === 0;
  return isReplayed && !groupsBehind.includes(true) && environments.every(({ isAhead }) => !isAhead);
}

type SweepContext = EffectsContext & { services: RelayServices };

/** An environment that the sweep may have to handle. */
interface EnvironmentToSweep {
  head: EnvironmentHead;
  /** There are snapshots that are not expanded. */
  isAhead: boolean;
  /** Number of snapshots that are settled, not expanded and not being expanded. */
  lost: number;
}

/**
 * Reads the environments of an organization that the sweep may have to handle, archived ones included, and those with a
 * newest snapshot that settled lately.
 */
async function readEnvironmentsToSweep(
  { services: { table, clock } }: EffectsContext,
  org: OrganizationId,
): Promise<{ environments: EnvironmentToSweep[]; settledLately: EnvironmentHead[] }> {
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
      return { head, isAhead: ahead > 0, lost: isLost ? ahead : 0 };
    })
    .filter(({ head, isAhead }) => isAhead || head.archived !== null || head.kind === 'logical');
  const settledLately = [...heads.values()].filter(
    ({ index, at }) => index > 0 && at <= settled && at > settled - CHECKED_FOR,
  );
  return { environments, settledLately };
}
