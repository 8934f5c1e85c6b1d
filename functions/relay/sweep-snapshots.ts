import { errorFacts } from '#shared/base/error-facts.ts';
import { type OrganizationId, storedId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { appendLogical } from '#shared/environments/append-logical.ts';
import type { EnvironmentRelay } from '#shared/environments/effects-context.ts';
import { expandSnapshots } from '#shared/environments/expand.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { readEnvironmentHeads } from '#shared/environments/records/environments.ts';
import { readAllExpanded } from '#shared/environments/records/expanded.ts';
import { replaySnapshots } from '#shared/environments/replay-snapshots.ts';
import { sweepAllowed } from '#shared/environments/sweep-allowed.ts';
import { relayLog } from '#shared/http/relay-log.ts';
import { forgetArchived, readArchivedBehind } from '#shared/notifications/records/relayed.ts';
import { organizationList } from '#shared/organizations/records/keys.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import { containerMemory } from './memory.ts';
import type { RelayOptions } from './relay.ts';

/** Organizations, and environments of one, that are swept at the same time. */
const WIDTH = 4;
/** Below this many milliseconds nothing further is begun. */
const ENOUGH_MILLIS = 10_000;
/** Counted by an alarm, as of other events. */
const LOST = 'Events that the stream did not bring were relayed';

export interface SnapshotSweepOptions extends RelayOptions {
  /** Milliseconds that are left for it; what is left undone then is the next sweep's. */
  remainingMillis?: () => number;
}

/**
 * Expands the settled snapshots that the stream did not bring: an environment's head names more of them than were
 * expanded (design §2.7). Looks at the members of logical environments and at allow-lists, too. One organization's
 * trouble delays no other.
 * @returns how many snapshots were expanded
 * @throws AggregateError when a part failed, after everything else was done
 */
export async function sweepSnapshots(
  services: EnvironmentRelay['services'],
  { memory = containerMemory, log = relayLog('sweep'), remainingMillis }: SnapshotSweepOptions = {},
): Promise<number> {
  const relay: EnvironmentRelay = { services, memory, log };
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
      await inParallel(await behind(relay, org), WIDTH, ({ head, hasMore, isOver }) =>
        attempt({ organization: org, environment: head.id }, async () => {
          if (isOver) return forgetArchived(services.table, org, head.id);
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

/** The environments of an organization that there may be something to do for, archived ones that are not forgotten yet too. */
async function behind(
  { services: { table, clock } }: EnvironmentRelay,
  org: OrganizationId,
): Promise<{ head: EnvironmentHead; hasMore: boolean; isOver: boolean }[]> {
  const [catalogue, archived] = await Promise.all([
    readCatalogue(table, org, 'environment'),
    readArchivedBehind(table, org),
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
      return { head, hasMore: isAhead && head.at <= settled, isOver: !isAhead && head.archived !== null };
    })
    .filter(({ head, hasMore, isOver }) => hasMore || isOver || head.kind === 'logical');
}
