import { errorFacts } from '#shared/base/error-facts.ts';
import { type OrganizationId, storedId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { isGroupBehind } from '#shared/environments/append-logical.ts';
import type { EffectsContext } from '#shared/environments/effects-context.ts';
import { expansionMessage } from '#shared/environments/expand-message.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { readEnvironmentHeads } from '#shared/environments/records/environments.ts';
import { readAllExpanded } from '#shared/environments/records/expanded.ts';
import { replaySnapshots } from '#shared/environments/replay-snapshots.ts';
import { sweepAllowed } from '#shared/environments/sweep-allowed.ts';
import { relayLog } from '#shared/http/relay-log.ts';
import { forgetArchivedEnvironment, readArchivedEnvironments } from '#shared/notifications/records/relay-progress.ts';
import type { ExpanderServices } from '#shared/notifications/services.ts';
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
 * Finds the settled snapshots that were not expanded, because the stream did not bring them or a message was lost, and
 * hands their environments to the expander (`rules/storage.md#sweeps`). An environment has such snapshots if its head
 * has a greater number than the last expanded snapshot. The sweep also hands over logical environments without the
 * snapshot of a change, and creates missing deliveries of allow-lists. An error in one organization does not stop the
 * others.
 * @returns how many snapshots were not expanded
 * @throws AggregateError if a part failed, after all other parts were swept
 */
export async function sweepSnapshots(
  services: ExpanderServices,
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
      await inParallel(await readEnvironmentsToSweep(relay, org), WIDTH, ({ head, lost, isComplete }) =>
        attempt({ organization: org, environment: head.id }, async () => {
          if (isComplete) return forgetArchivedEnvironment(services.table, org, head.id);
          const place = { org, environment: head.id };
          if (head.kind === 'logical' && head.archived === null && (await isGroupBehind(relay, org, head))) {
            await services.expansions.send([expansionMessage({ work: 'group', ...place })]);
          }
          if (lost === 0) return;
          await services.expansions.send([expansionMessage({ work: 'expand', ...place })]);
          missing += lost;
          log(LOST, { organization: org, environment: head.id, missing: lost });
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
  /** Number of snapshots that are settled, not expanded and not being expanded. */
  lost: number;
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
      const { index = 0, at = 0 } = expanded.get(head.id) ?? {};
      const ahead = head.index - index;
      // Recent progress means that the expander is at work.
      const isLost = ahead > 0 && head.at <= settled && at <= settled;
      return { head, lost: isLost ? ahead : 0, isComplete: ahead === 0 && head.archived !== null };
    })
    .filter(({ head, lost, isComplete }) => lost > 0 || isComplete || head.kind === 'logical');
}
