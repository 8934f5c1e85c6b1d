import * as z from 'zod';
import {
  type EnvironmentId,
  type Fingerprint,
  type FlowId,
  type OrganizationId,
  StoredFingerprint,
} from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { shaPartition, unreportedFingerprintKey } from '#shared/evidence/records/keys.ts';
import { readEach } from '#shared/table/read-each.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { RunningItem } from './environment-records.ts';
import { readEnvironmentHeads } from './environments.ts';
import { flowRunsKey, flowRunsPartition, runningKey, runningPartition } from './keys.ts';

/** Where artifacts run: one item per fingerprint and environment, written by the relay (rules/environments.md#running). */

export type Running = z.infer<typeof RunningItem>;

/** Reads where a fingerprint runs or ran, one entry per environment. There are no entries for the empty fingerprint. */
export async function readRunning(table: Table, org: OrganizationId, fingerprint: Fingerprint): Promise<Running[]> {
  if (fingerprint === '') return [];
  const items = await table.query({ pk: runningPartition(org, fingerprint) });
  return items.map((item) => RunningItem.parse(item));
}

/** Where artifacts run or ran last, by fingerprint, and the present names of the environments. */
export interface Runs {
  byFingerprint: ReadonlyMap<Fingerprint, readonly Running[]>;
  environments: ReadonlyMap<EnvironmentId, string>;
}

/** Reads where artifacts run: one Query per fingerprint in parallel, then the names of the environments. */
export async function readRuns(table: Table, org: OrganizationId, fingerprints: Iterable<Fingerprint>): Promise<Runs> {
  const byFingerprint = new Map(
    await readEach(
      new Set(fingerprints),
      async (fingerprint) => [fingerprint, await readRunning(table, org, fingerprint)] as const,
    ),
  );
  const ids = new Set([...byFingerprint.values()].flat().map(({ environment }) => environment));
  const heads = await readEnvironmentHeads(table, org, [...ids]);
  // An archived environment takes no reports, so its entries that say "running" may be wrong and are left out.
  const isKnown = ({ environment, running }: Running) => !running || heads.get(environment)?.archived === null;
  return {
    byFingerprint: new Map([...byFingerprint].map(([fingerprint, runs]) => [fingerprint, runs.filter(isKnown)])),
    environments: new Map([...heads].map(([id, { name }]) => [id, name])),
  };
}

/** A fingerprint that started or stopped in an environment. */
export interface RunningChange {
  fingerprint: Fingerprint;
  running: boolean;
}

/** Records that a fingerprint started or stopped with a snapshot, unless the item is from a later snapshot already. */
export async function recordRunning(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  snapshot: { index: number; at: Micros },
  { fingerprint, running }: RunningChange,
): Promise<void> {
  // A stop keeps the snapshot and the time of the start, which the item holds until now.
  const start = running
    ? ' REMOVE startIndex, startAt'
    : ', startIndex = if_not_exists(#index, :index), startAt = if_not_exists(#at, :at)';
  await table.update(runningKey(org, fingerprint, environment), {
    UpdateExpression: `SET #v = :v, environment = :environment, #index = :index, #at = :at, running = :running${start}`,
    ConditionExpression: 'attribute_not_exists(pk) OR #index < :index',
    ExpressionAttributeNames: { '#v': 'v', '#index': 'index', '#at': 'at' },
    ExpressionAttributeValues: {
      ':v': 1,
      ':environment': environment,
      ':index': snapshot.index,
      ':at': snapshot.at,
      ':running': running,
    },
  });
}

/** Key in place of a flow's id: its items name the environments in which anything ever ran, with or without a flow. */
export const ANY_FLOW = '-';

/** Whether anything of a flow ever ran in any environment; with {@link ANY_FLOW}, whether anything ever ran. One read. */
export async function hasEverRun(table: Table, org: OrganizationId, flow: FlowId | typeof ANY_FLOW): Promise<boolean> {
  return (await table.query({ pk: flowRunsPartition(org, flow), limit: 1 })).length > 0;
}

export const flowRunsItem = (
  org: OrganizationId,
  flow: FlowId | typeof ANY_FLOW,
  environment: EnvironmentId,
): Item => ({
  ...flowRunsKey(org, flow, environment),
  v: 1,
});

/** An artifact that started without provenance, for the search (rules/environments.md#effects-of-a-snapshot). */
const Unvouched = z.object({
  fingerprint: StoredFingerprint,
  /** A name under which it started. If it starts in several environments at once, any of the names. */
  name: z.string(),
  /** Time of that start, in microseconds. */
  at: z.number(),
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
export async function findUnvouched(
  table: Table,
  org: OrganizationId,
  prefix: string,
  limit: number,
): Promise<Unvouched[]> {
  const items = await table.query({ pk: shaPartition(org, prefix), prefix: `U#${prefix}`, limit });
  return items.map((item) => Unvouched.parse(item));
}
