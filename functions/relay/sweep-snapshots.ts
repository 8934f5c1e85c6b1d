import { errorFacts } from '#shared/base/error-facts.ts';
import { type OrganizationId, storedId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { appendLogical } from '#shared/environments/append-logical.ts';
import type { EffectsContext } from '#shared/environments/effects-context.ts';
import { expandSnapshots } from '#shared/environments/expand.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { readEnvironmentHeads } from '#shared/environments/records/environments.ts';
import { readAllExpanded } from '#shared/environments/records/expanded.ts';
import { replaySnapshots } from '#shared/environments/replay-snapshots.ts';
import { sweepAllowed } from '#shared/environments/sweep-allowed.ts';
import { relayLog } from '#shared/http/relay-log.ts';
import { forgetArchivedEnvironment, readArchivedEnvironments } from '#shared/notifications/records/relay-progress.ts';
import { organizationList } from '#shared/organizations/records/keys.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import { containerMemory } from './memory.ts';
import type { RelayOptions } from './relay.ts';

/** Organizations that are swept at the same time, and environments of one organization. */
const WIDTH = 4;
/** With fewer milliseconds left, no further part is started. */
const ENOUGH_MILLIS = 10_000;
/** An alarm counts this message, here and in the sweep of flow events. */
const LOST = 'Events that the stream did not bring were relayed';

export interface SnapshotSweepOptions extends RelayOptions {
  /** Returns the milliseconds that are left. The next sweep handles the parts that this one does not reach. */
  remainingMillis?: () => number;
}

/**
 * Expands the settled snapshots that the stream did not bring (`rules/storage.md#sweeps`). An environment has such
 * snapshots if its head has a greater number than the last expanded snapshot. The sweep also creates missing snapshots
 * of logical environments and missing deliveries of allow-lists. An error in one organization does not stop the others.
 * @returns how many snapshots were expanded
 * @throws AggregateError if a part failed, after all other parts were swept
 */
export async function sweepSnapshots(
  services: EffectsContext['services'],
  { memory = containerMemory, log = relayLog('sweep'), remainingMillis }: SnapshotSweepOptions = {},
): Promise<number> {
  const relay: EffectsContext = { services, memory, log };
  const isTime = () => remainingMillis === undefined || remainingMillis() > ENOUGH_MILLIS;
  const failures: unknown[] = [];
  let missing = 0;
  const attempt = async (facts: Record<string, unknown>, work: () => Promise<void>) => {
    if (!isTime()) return;
    try {
      await work();
    } catch (error) {
      failures.push(error);
      log('A part of a sweep for events failed; the next one tries again', { ...facts, ...errorFacts(error) });
    }
  };
  const listed = await services.table.query({ pk: organizationList });
  const organizations = listed.map(({ sk }) => storedId<OrganizationId>(sk));
  await inParallel(organizations, WIDTH, (org) =>
    attempt({ organization: org }, async () => {
      const allowed = await sweepAllowed(relay, org);
      const replayed = await replaySnapshots(relay, org, isTime);
      if (allowed + replayed > 0) log(LOST, { organization: org, missing: allowed + replayed });
      await inParallel(await readEnvironmentsToSweep(relay, org), WIDTH, ({ head, hasMore, isComplete }) =>
        attempt({ organization: org, environment: head.id }, async () => {
          if (isComplete) return forgetArchivedEnvironment(services.table, org, head.id);
          if (head.kind === 'logical' && head.archived === null) await appendLogical(relay, org, head.id, null);
          if (!hasMore) return;
          const expanded = await expandSnapshots(relay, org, head.id, head.index);
          missing += expanded;
          if (expanded > 0) log(LOST, { organization: org, environment: head.id, missing: expanded });
        }),
      );
    }),
  );
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} parts of a sweep for events failed`);
  return missing;
}

/** An environment that the sweep may have to handle. */
interface EnvironmentToSweep {
  head: EnvironmentHead;
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
      return { head, hasMore: isAhead && head.at <= settled, isComplete: !isAhead && head.archived !== null };
    })
    .filter(({ head, hasMore, isComplete }) => hasMore || isComplete || head.kind === 'logical');
}
