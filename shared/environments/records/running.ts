import * as z from 'zod';
import {
  type EnvironmentId,
  type Fingerprint,
  type FlowId,
  isKnownFingerprint,
  type OrganizationId,
  StoredFingerprint,
} from '#shared/base/ids.ts';
import { type Micros, StoredMicros } from '#shared/base/time.ts';
import { shaPartition, unreportedFingerprintKey } from '#shared/evidence/records/keys.ts';
import type { Item, Key, Table } from '#shared/table/table.ts';
import { type EnvironmentHead, environmentHeadsIn, RunningItem } from './environment-records.ts';
import { environmentHeadKey, flowRunsKey, flowRunsPartition, runningKey, runningPartition } from './keys.ts';

/** Where artifacts run: one item per fingerprint and environment, written by the relay (rules/environments.md#running). */

export type Running = z.infer<typeof RunningItem>;

/** Reads where a fingerprint runs or ran, one entry per environment. There are no entries for the empty fingerprint. */
export async function readRunning(table: Table, org: OrganizationId, fingerprint: Fingerprint): Promise<Running[]> {
  return (await readRunningOf(table, org, [fingerprint])).get(fingerprint) ?? [];
}

/** As {@link readRunning} for several fingerprints, 50 with one call. */
export async function readRunningOf(table: Table, org: OrganizationId, fingerprints: Iterable<Fingerprint>) {
  const distinct = [...new Set(fingerprints)].filter(isKnownFingerprint);
  const found = await table.queryEach(distinct.map((fingerprint) => ({ pk: runningPartition(org, fingerprint) })));
  return new Map(
    distinct.map((fingerprint, i) => [fingerprint, (found[i] ?? []).map((item) => RunningItem.parse(item))]),
  );
}

/** Reads the environments in which any of the fingerprints runs now, 50 fingerprints with one call. */
export async function readRunningIn(
  table: Table,
  org: OrganizationId,
  fingerprints: Iterable<Fingerprint>,
): Promise<Set<EnvironmentId>> {
  const found = await readRunningOf(table, org, fingerprints);
  return new Set([...found.values()].flat().flatMap(({ running, environment }) => (running ? [environment] : [])));
}

/** Where artifacts run or ran last, by fingerprint, and the environments with their present names. */
export interface Runs {
  byFingerprint: ReadonlyMap<Fingerprint, readonly Running[]>;
  environments: ReadonlyMap<EnvironmentId, Pick<EnvironmentHead, 'name' | 'archived'>>;
}

/** Reads where artifacts run: the environments of all fingerprints, then the names of these environments. */
export async function readRuns(table: Table, org: OrganizationId, fingerprints: Iterable<Fingerprint>): Promise<Runs> {
  return (await readRunsBeside(table, org, fingerprints, () => [])).runs;
}

/**
 * Reads {@link readRuns} and further items, which are read with the same call as the environments.
 * @param keysOf returns the keys of the further items
 */
export async function readRunsBeside(
  table: Table,
  org: OrganizationId,
  fingerprints: Iterable<Fingerprint>,
  keysOf: (running: ReadonlyMap<Fingerprint, readonly Running[]>) => readonly Key[],
): Promise<{ runs: Runs; beside: Map<string, Item> }> {
  const byFingerprint = await readRunningOf(table, org, fingerprints);
  const ids = [...new Set([...byFingerprint.values()].flat().map(({ environment }) => environment))];
  const beside = await table.getMany([...ids.map((id) => environmentHeadKey(org, id)), ...keysOf(byFingerprint)]);
  const heads = environmentHeadsIn(org, ids, beside);
  // An archived environment takes no reports, so its entries that say "running" may be wrong and are left out.
  const isKnown = ({ environment, running }: Running) => !running || heads.get(environment)?.archived === null;
  const runs = {
    byFingerprint: new Map([...byFingerprint].map(([fingerprint, found]) => [fingerprint, found.filter(isKnown)])),
    environments: heads,
  };
  return { runs, beside };
}

export interface RunningChange {
  fingerprint: Fingerprint;
  running: boolean;
}

/**
 * Records that a fingerprint started or stopped with a snapshot, unless the item is from a later snapshot already.
 * @param snapshot `start` is the number of the event of the start; a stop does not use it
 */
export async function recordRunning(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  snapshot: { index: number; at: Micros; start: number },
  { fingerprint, running }: RunningChange,
): Promise<void> {
  // A stop keeps the snapshot, the time and the event of the start, which the item holds until now.
  const start = running
    ? ', #start = :start REMOVE startIndex, startAt'
    : ', startIndex = if_not_exists(#index, :index), startAt = if_not_exists(#at, :at)';
  await table.update(runningKey(org, fingerprint, environment), {
    UpdateExpression: `SET #v = :v, environment = :environment, #index = :index, #at = :at, running = :running${start}`,
    ConditionExpression: 'attribute_not_exists(pk) OR #index < :index',
    ExpressionAttributeNames: { '#v': 'v', '#index': 'index', '#at': 'at', ...(running && { '#start': 'start' }) },
    ExpressionAttributeValues: {
      ':v': 1,
      ':environment': environment,
      ':index': snapshot.index,
      ':at': snapshot.at,
      ':running': running,
      ...(running && { ':start': snapshot.start }),
    },
  });
}

/** Key in place of a flow's id: its items name the environments in which anything ever ran, with or without a flow. */
export const ANY_FLOW = '-';

/** Whether anything of a flow ever ran in any environment; with {@link ANY_FLOW}, whether anything ever ran. One read. */
export async function hasEverRun(table: Table, org: OrganizationId, flow: FlowId | typeof ANY_FLOW): Promise<boolean> {
  return (await table.query({ pk: flowRunsPartition(org, flow), limit: 1 })).length > 0;
}

export const flowRunsItem = (org: OrganizationId, flow: FlowId | typeof ANY_FLOW, environment: EnvironmentId) => ({
  ...flowRunsKey(org, flow, environment),
  v: 1,
});

/** An artifact that started without provenance, for the search (rules/environments.md#effects-of-a-snapshot). */
export const Unvouched = z.object({
  fingerprint: StoredFingerprint,
  /** A name under which it started. If it starts in several environments at once, any of the names. */
  name: z.string(),
  /** Time of that start, in microseconds. */
  at: StoredMicros,
});
export type Unvouched = z.infer<typeof Unvouched>;

export const unvouchedItem = (org: OrganizationId, unvouched: Unvouched): Item => ({
  ...unreportedFingerprintKey(org, unvouched.fingerprint),
  v: 1,
  ...unvouched,
});

/**
 * Finds at most `limit` artifacts that started without provenance, by a fingerprint prefix of at least 5 characters.
 * Some of them may have been reported to a flow since.
 */
export async function findUnvouched(table: Table, org: OrganizationId, prefix: string, limit: number) {
  const items = await table.query({ pk: shaPartition(org, prefix), prefix: `U#${prefix}`, limit });
  return items.map((item) => Unvouched.parse(item));
}
