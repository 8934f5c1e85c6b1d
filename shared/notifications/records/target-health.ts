import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { again, retrying } from '#shared/base/retry.ts';
import { EPOCH, type Micros, StoredMicros } from '#shared/base/time.ts';
import { absent, change, onlyIf, unchanged } from '#shared/table/expressions.ts';
import type { PartitionKey } from '#shared/table/items.ts';
import { type Item, keyText, readRecord, type Table, type Write } from '#shared/table/table.ts';
import { freshHealth, healthAfter, healthAfterSave } from '../rules/health.ts';
import { type Attempt, TargetHealth } from '../rules/records.ts';
import { targetHealthKey, targetHealthPartition } from './keys.ts';

const HealthItem = TargetHealth.extend({
  /** Changes with every write. A write is conditional on the value that the writer read. */
  rev: z.number(),
  /** When the action was last saved. Attempts up to this time no longer change the health. */
  since: StoredMicros,
});
type HealthItem = z.infer<typeof HealthItem>;

const healthOfItem = ({ rev: _, since: __, ...health }: HealthItem): TargetHealth => health;

/** The range of the health of an action's targets. */
export const targetHealthRange = (org: OrganizationId, action: number): { pk: PartitionKey; prefix: string } => ({
  pk: targetHealthPartition(org),
  prefix: targetHealthKey(org, action, '').sk,
});

const readItem = async (table: Table, org: OrganizationId, action: number, key: string): Promise<HealthItem> =>
  (await readRecord(table, targetHealthKey(org, action, key), HealthItem)) ?? {
    ...freshHealth(key),
    rev: 0,
    since: EPOCH,
  };

/** Reads the health of every target that the action has or had, by target key, with one Query. */
export async function readHealth(
  table: Table,
  org: OrganizationId,
  action: number,
): Promise<Map<string, TargetHealth>> {
  const items = await table.query(targetHealthRange(org, action));
  return new Map(items.map((item) => HealthItem.parse(item)).map((health) => [health.key, healthOfItem(health)]));
}

/** Reads the health of the targets of many actions with one Query, by action number and then by target key. */
export async function readHealths(
  table: Table,
  org: OrganizationId,
  actions: readonly { number: number; targets: readonly { key: string }[] }[],
): Promise<Map<number, Map<string, TargetHealth>>> {
  const one = actions.length === 1 ? actions[0] : undefined;
  const range = one ? targetHealthRange(org, one.number) : { pk: targetHealthPartition(org) };
  const items = actions.length === 0 ? [] : await table.query(range);
  const found = new Map(items.map((item) => [keyText(item), item]));
  const parseHealth = (item: Item | undefined) => (item ? [healthOfItem(HealthItem.parse(item))] : []);
  return new Map(
    actions.map(({ number, targets }) => {
      const healths = targets.flatMap(({ key }) => parseHealth(found.get(keyText(targetHealthKey(org, number, key)))));
      return [number, new Map(healths.map((health) => [health.key, health]))];
    }),
  );
}

/**
 * Folds attempts into a target's health by a conditional write (`rules/notifications.md#books-and-health`). Writes
 * nothing if they change nothing. Skips attempts that were made before the last save of the action, because that save
 * has reset the health or enabled the target.
 * @param attempts in any order
 */
export async function updateHealth(
  table: Table,
  org: OrganizationId,
  action: number,
  key: string,
  attempts: readonly Pick<Attempt, 'at' | 'outcome'>[],
): Promise<TargetHealth> {
  return retrying(async (): Promise<TargetHealth | 'again'> => {
    const { rev, since, ...before } = await readItem(table, org, action, key);
    const after = attempts.filter(({ at }) => at > since).reduce(healthAfter, before);
    if (isDeepStrictEqual(after, before)) return after;
    const outcome = await table.write(healthWrite(org, action, { ...after, rev, since }, rev + 1));
    return outcome === 'done' ? after : outcome;
  });
}

/**
 * Reserves the one probe of a target with an open circuit (`rules/notifications.md#circuit`).
 * @returns whether the caller may make the probe; false if another worker has reserved it
 */
export const reserveProbe = (
  table: Table,
  org: OrganizationId,
  action: number,
  before: TargetHealth,
  after: TargetHealth,
): Promise<boolean> =>
  table.update(
    targetHealthKey(org, action, before.key),
    change({ set: { probeAt: after.probeAt }, add: { rev: 1 } }, unchanged(before, 'probeAt')),
  );

/** Replaces the health that was read, if its `rev` is still the same. */
const healthWrite = (org: OrganizationId, action: number, health: HealthItem, rev: number): Write<'again'> => ({
  put: { ...targetHealthKey(org, action, health.key), v: 1, ...health, rev },
  ...onlyIf(health.rev === 0 ? absent() : unchanged(health, 'rev')),
  refused: again,
});

/**
 * Prepares the writes by which a save of an action changes the health of its targets
 * (`rules/notifications.md#health-after-a-save`). A target that the action did not have before starts with fresh
 * health, also if an earlier version had it. A target that the action keeps is enabled and its circuit is closed.
 */
export async function prepareHealth(
  table: Table,
  org: OrganizationId,
  action: number,
  targets: { before: readonly { key: string }[]; after: readonly { key: string }[] },
  at: Micros,
): Promise<Write<'again'>[]> {
  const items = (await table.query(targetHealthRange(org, action))).map((item) => HealthItem.parse(item));
  const kept = new Set(targets.before.map(({ key }) => key));
  const wanted = new Set(targets.after.map(({ key }) => key));
  return items.map((item) => {
    const { key, rev } = item;
    if (!wanted.has(key)) return { remove: targetHealthKey(org, action, key) };
    const health = kept.has(key) ? healthAfterSave(healthOfItem(item)) : freshHealth(key);
    return healthWrite(org, action, { ...health, rev, since: at }, rev + 1);
  });
}
