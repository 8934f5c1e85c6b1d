import * as z from 'zod';
import {
  type EnvironmentId,
  type Fingerprint,
  type FlowId,
  type OrganizationId,
  StoredFingerprint,
} from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { shaPartition, unvouchedKey } from '#shared/evidence/records/keys.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { RunningItem } from './environment-records.ts';
import { readEnvironmentHeads } from './environments.ts';
import { flowRunsKey, flowRunsPartition, runningKey, runningPartition } from './keys.ts';

/** Where artifacts run, as the relay derives it from snapshots: an item per fingerprint and environment (design §2.9). */

export type Running = z.infer<typeof RunningItem>;

/** The environments in which a fingerprint runs or ever ran. An empty fingerprint is none: nothing is kept of it. */
export async function readRunning(table: Table, org: OrganizationId, fingerprint: Fingerprint): Promise<Running[]> {
  if (fingerprint === '') return [];
  const items = await table.query({ pk: runningPartition(org, fingerprint) });
  return items.map((item) => RunningItem.parse(item));
}

/** Where artifacts run or ran last, by fingerprint, and the names that the environments have today. */
export interface Runs {
  byFingerprint: ReadonlyMap<Fingerprint, readonly Running[]>;
  environments: ReadonlyMap<EnvironmentId, string>;
}

/** A Query per fingerprint, all at once; then the names, where anything ever ran. */
export async function readRuns(table: Table, org: OrganizationId, fingerprints: Iterable<Fingerprint>): Promise<Runs> {
  const read = [...new Set(fingerprints)].map(
    async (fingerprint) => [fingerprint, await readRunning(table, org, fingerprint)] as const,
  );
  const byFingerprint = new Map(await Promise.all(read));
  const ids = new Set([...byFingerprint.values()].flat().map(({ environment }) => environment));
  const heads = await readEnvironmentHeads(table, org, [...ids]);
  // Nothing is said of an archived environment any more, so that what ran there last is not known to run.
  const isKnown = ({ environment, running }: Running) => !running || heads.get(environment)?.archived === null;
  return {
    byFingerprint: new Map([...byFingerprint].map(([fingerprint, runs]) => [fingerprint, runs.filter(isKnown)])),
    environments: new Map([...heads].map(([id, { name }]) => [id, name])),
  };
}

/** A fingerprint that began or ceased to run in an environment. */
export interface RunningChange {
  fingerprint: Fingerprint;
  running: boolean;
}

/** Notes what a snapshot says of a fingerprint, unless a later one has said something already. */
export async function noteRunning(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  snapshot: { index: number; at: Micros },
  { fingerprint, running }: RunningChange,
): Promise<void> {
  // Of what stopped the start is still told: it is what the item said until now.
  const start = running
    ? ' REMOVE startIndex, startAt'
    : ', startIndex = if_not_exists(#index, :index), startAt = if_not_exists(#at, :at)';
  await table.update(runningKey(org, fingerprint, environment), {
    UpdateExpression: `SET #v = :v, environment = :environment, #index = :index, #at = :at, running = :running${start}`,
    ConditionExpression: 'attribute_not_exists(pk) OR #index < :index',
    ExpressionAttributeNames: { '#v': 'v', '#index': 'index', '#at': 'at' },
    ExpressionAttributeValues: {
      ...{ ':v': 1, ':environment': environment, ':index': snapshot.index, ':at': snapshot.at, ':running': running },
    },
  });
}

/** Stands for all flows, and for none: the environments in which anything ever ran. */
export const ANY_FLOW = '-';

/** Whether anything of a flow ever ran anywhere, or anything at all: {@link ANY_FLOW}. One read of one item. */
export async function everRan(table: Table, org: OrganizationId, flow: FlowId | typeof ANY_FLOW): Promise<boolean> {
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

/** What ran although no flow had a report of it, as searches find it (semantics §2, «Provenance»). */
const Unvouched = z.object({
  fingerprint: StoredFingerprint,
  /** One of those under which it started, and when: where it starts in several environments at once, any of them. */
  name: z.string(),
  at: z.number(),
});
export type Unvouched = z.infer<typeof Unvouched>;

export const unvouchedItem = (org: OrganizationId, unvouched: Unvouched): Item => ({
  ...unvouchedKey(org, unvouched.fingerprint),
  v: 1,
  ...unvouched,
});

/**
 * The fingerprints beginning with a prefix of at least 5 characters that ran when no flow vouched for them; at most
 * `limit`. A flow may have had a report of them since.
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
