import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { appendLogical } from '#shared/environments/append-logical.ts';
import type { EffectsContext } from '#shared/environments/effects-context.ts';
import { expandSnapshots } from '#shared/environments/expand.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { readEnvironmentHeads } from '#shared/environments/records/environments.ts';
import { readAllExpanded } from '#shared/environments/records/expanded.ts';
import { replaySnapshots } from '#shared/environments/replay-snapshots.ts';
import { sweepAllowed } from '#shared/environments/sweep-allowed.ts';
import {
  forgetArchivedEnvironment,
  readArchivedEnvironments,
  readRewoundEnvironments,
} from '#shared/notifications/records/relay-progress.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import type { SweepParts } from './sweep-parts.ts';

/** Environments of one organization that are swept at the same time. */
const WIDTH = 4;
/** An alarm counts this message, here and in the sweep of flow events. */
const LOST = 'Events that the stream did not bring were relayed';

/**
 * Expands the settled snapshots of an organization that the stream did not bring (`rules/storage.md#lost-effects`). An
 * environment has such snapshots if its head has a greater number than the last expanded snapshot. The sweep also creates
 * missing snapshots of logical environments and missing deliveries of allow-lists.
 * @returns whether nothing is left: no snapshot waits to settle, and no replay is under way
 */
export async function sweepSnapshots(relay: EffectsContext, parts: SweepParts, org: OrganizationId): Promise<boolean> {
  const { table } = relay.services;
  const allowed = await sweepAllowed(relay, org);
  const replayed = await replaySnapshots(relay, org, parts.isTime);
  if (allowed + replayed > 0) relay.log(LOST, { organization: org, missing: allowed + replayed });
  const environments = await readEnvironmentsToSweep(relay, org);
  await inParallel(environments, WIDTH, ({ head, hasMore, isComplete }) =>
    parts.attempt({ organization: org, environment: head.id }, async () => {
      if (isComplete) return forgetArchivedEnvironment(table, org, head.id);
      if (head.kind === 'logical' && head.archived === null) await appendLogical(relay, org, head.id, null);
      if (!hasMore) return;
      const expanded = await expandSnapshots(relay, org, head.id, head.index);
      if (expanded > 0) relay.log(LOST, { organization: org, environment: head.id, missing: expanded });
    }),
  );
  const isReplayed = (await readRewoundEnvironments(table, org)).length === 0;
  return isReplayed && environments.every(({ isAhead }) => !isAhead);
}

/** An environment that the sweep may have to handle. */
interface EnvironmentToSweep {
  head: EnvironmentHead;
  /** There are snapshots that are not expanded. */
  isAhead: boolean;
  /** There are settled snapshots that are not expanded. */
  hasMore: boolean;
  /** The environment is archived and all its snapshots are expanded. */
  isComplete: boolean;
}

/** Reads the environments of an organization that the sweep may have to handle, archived ones included. */
async function readEnvironmentsToSweep(
  { services: { table, clock } }: EffectsContext,
  org: OrganizationId,
): Promise<EnvironmentToSweep[]> {
  const [catalogue, archived] = await Promise.all([
    readCatalogue(table, org, 'environment'),
    readArchivedEnvironments(table, org),
  ]);
  const ids = [...catalogue.keys(), ...archived];
  const [heads, expanded] = await Promise.all([
    readEnvironmentHeads(table, org, ids),
    readAllExpanded(table, org, ids),
  ]);
  const settled = clock.now() - SETTLING_MICROS;
  return [...heads.values()]
    .map((head) => {
      const isAhead = head.index > (expanded.get(head.id)?.index ?? 0);
      return { head, isAhead, hasMore: isAhead && head.at <= settled, isComplete: !isAhead && head.archived !== null };
    })
    .filter(({ head, isAhead, isComplete }) => isAhead || isComplete || head.kind === 'logical');
}
