import { type EnvironmentId, type Fingerprint, isKnownFingerprint, type OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { instantSequence } from '#shared/table/keys.ts';
import { readEach } from '#shared/table/read-each.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { type Run, type RunChange, runsOf } from '../rules/changes/runs.ts';
import { type EnvironmentHead, type RunningItem, RunningPastItem } from './environment-records.ts';
import { readEnvironmentHeads } from './environments.ts';
import { runningPastKey, runningPastPartition } from './keys.ts';
import { readRunningOf } from './running.ts';

/** When artifacts ran: one item per change, written by the expander (rules/environments.md#history-of-running). */

/** Changes that are read of a fingerprint with one Query. A fingerprint with more is read environment by environment. */
const MOST_CHANGES = 200;
/** The newest changes that are read of such a fingerprint in one environment. */
const MOST_IN_ENVIRONMENT = 40;
/** Environments of such a fingerprint that are read. Of further ones only the last run is known. */
const MOST_ENVIRONMENTS = 200;

/** What a snapshot changed about a fingerprint. */
export interface RunningVerdict extends Pick<RunChange, 'type' | 'compliant'> {
  fingerprint: Fingerprint;
}

/** The item of what a snapshot changed about a fingerprint. The same snapshot always gives the same item. */
export const runningPastItem = (
  org: OrganizationId,
  environment: EnvironmentId,
  { index, at }: { index: number; at: Micros },
  { fingerprint, type, compliant }: RunningVerdict,
): Item => ({
  ...runningPastKey(org, fingerprint, environment, at),
  v: 1,
  environment,
  index,
  at,
  type,
  compliant,
});

/** When an artifact ran in one environment. */
export interface RunsInEnvironment {
  environment: EnvironmentHead;
  /** At least one, the oldest first. */
  runs: Run[];
  /** Whether earlier runs may be left out. */
  hasEarlier: boolean;
}

/**
 * Reads when artifacts ran, as it was known at an instant (rules/environments.md#history-of-running). A fingerprint costs one Query, all
 * together a call for 50 of them and one for 100 of their environments. A fingerprint with more than 200 changes costs a
 * Query for each of its environments as well.
 *
 * @param asOf later changes do not count
 * @returns per fingerprint an entry for each environment in which it ever ran until then
 */
export async function readRunsOf(
  table: Table,
  org: OrganizationId,
  fingerprints: Iterable<Fingerprint>,
  asOf: Micros,
): Promise<Map<Fingerprint, RunsInEnvironment[]>> {
  const distinct = [...new Set(fingerprints)].filter(isKnownFingerprint);
  const [running, pasts] = await Promise.all([
    readRunningOf(table, org, distinct),
    readEach(distinct, (fingerprint) => readPast(table, org, fingerprint)),
  ]);
  const found = distinct.map((fingerprint, i) => ({
    fingerprint,
    states: running.get(fingerprint) ?? [],
    changes: pasts[i] ?? 'many',
  }));
  const ids = [...new Set(found.flatMap((one) => one.states.map(({ environment }) => environment)))];
  const [heads, histories] = await Promise.all([
    readEnvironmentHeads(table, org, ids),
    Promise.all(
      found.map((one) => (one.changes === 'many' ? readNewest(table, org, one, asOf) : complete(one.changes))),
    ),
  ]);
  return new Map(
    found.map(({ fingerprint, states: known }, i) => {
      const runs = known.flatMap((state): RunsInEnvironment[] => {
        const environment = heads.get(state.environment);
        const { changes = [], hasEarlier = false } = histories[i]?.(state.environment) ?? {};
        const shown = environment && runsOf(withLastRun(changes, state), asOf, environment.archived);
        return shown && shown.length > 0 ? [{ environment, runs: shown, hasEarlier }] : [];
      });
      return [fingerprint, runs];
    }),
  );
}

/** What is known of a fingerprint in an environment. */
type HistoryOf = (environment: EnvironmentId) => { changes: readonly RunChange[]; hasEarlier: boolean };

async function readPast(
  table: Table,
  org: OrganizationId,
  fingerprint: Fingerprint,
): Promise<RunningPastItem[] | 'many'> {
  const items = await table.query({ pk: runningPastPartition(org, fingerprint), limit: MOST_CHANGES + 1 });
  return items.length > MOST_CHANGES ? 'many' : items.map((item) => RunningPastItem.parse(item));
}

function complete(items: readonly RunningPastItem[]): HistoryOf {
  const byEnvironment = Map.groupBy(items, ({ environment }) => environment);
  return (environment) => ({ changes: byEnvironment.get(environment) ?? [], hasEarlier: false });
}

/** Reads the newest changes in the environments that changed last. */
async function readNewest(
  table: Table,
  org: OrganizationId,
  { fingerprint, states }: { fingerprint: Fingerprint; states: readonly RunningItem[] },
  asOf: Micros,
): Promise<HistoryOf> {
  const read = states.toSorted((a, b) => b.at - a.at).slice(0, MOST_ENVIRONMENTS);
  const pk = runningPastPartition(org, fingerprint);
  const found = await readEach(read, ({ environment }) =>
    table.query({
      pk,
      from: `${environment}#`,
      to: `${environment}#${instantSequence(asOf)}`,
      newestFirst: true,
      limit: MOST_IN_ENVIRONMENT,
    }),
  );
  const byEnvironment = new Map(read.map(({ environment }, i) => [environment, found[i] ?? []]));
  return (environment) => {
    const items = byEnvironment.get(environment);
    const changes = (items ?? []).map((item) => RunningPastItem.parse(item));
    return { changes, hasEarlier: items === undefined || items.length === MOST_IN_ENVIRONMENT };
  };
}

/** Adds the last run, which earlier releases recorded without a history. Nobody knows its verdict. */
function withLastRun(changes: readonly RunChange[], { running, index, at, startIndex, startAt }: RunningItem) {
  const last: RunChange[] = [{ index, at, type: running ? 'started' : 'stopped', compliant: null }];
  // A stop that was recorded before its start names itself as the start.
  if (startIndex !== undefined && startAt !== undefined && startIndex < index)
    last.push({ index: startIndex, at: startAt, type: 'started', compliant: null });
  const known = new Set(changes.map((change) => change.index));
  return [...changes, ...last.filter((change) => !known.has(change.index))];
}
