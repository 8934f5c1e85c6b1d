import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { again, retrying } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import { type Item, keyText, type Table, type Write } from '#shared/table/table.ts';
import { freshHealth, healthAfter, healthAfterSave } from '../rules/health.ts';
import { type Attempt, TargetHealth } from '../rules/records.ts';
import { targetHealthKey, targetHealthPartition } from './keys.ts';

const HealthItem = TargetHealth.extend({
  /** Changes with every write: writers state the one they saw. */
  rev: z.number(),
  /** When the action was last saved: attempts that were made by then are folded in no more. */
  since: z.number(),
});
type HealthItem = z.infer<typeof HealthItem>;

const withoutMarks = ({ rev: _, since: __, ...health }: HealthItem): TargetHealth => health;

async function readItem(table: Table, org: OrganizationId, action: number, key: string): Promise<HealthItem> {
  const item = await table.get(targetHealthKey(org, action, key));
  return item ? HealthItem.parse(item) : { ...freshHealth(key), rev: 0, since: 0 };
}

/** The health of every target that an action was ever sent to, by target key: one Query. */
export async function readHealth(
  table: Table,
  org: OrganizationId,
  action: number,
): Promise<Map<string, TargetHealth>> {
  const items = await table.query({ pk: targetHealthPartition(org, action) });
  return new Map(items.map((item) => [item.sk, withoutMarks(HealthItem.parse(item))]));
}

/** The health of one target. */
export const readTargetHealth = async (
  table: Table,
  org: OrganizationId,
  action: number,
  key: string,
): Promise<TargetHealth> => withoutMarks(await readItem(table, org, action, key));

/** The health of many actions' targets at once, by action number and then by target key. */
export async function readHealths(
  table: Table,
  org: OrganizationId,
  actions: readonly { number: number; targets: readonly { key: string }[] }[],
): Promise<Map<number, Map<string, TargetHealth>>> {
  const found = await table.getMany(
    actions.flatMap(({ number, targets }) => targets.map(({ key }) => targetHealthKey(org, number, key))),
  );
  const healthOf = (item: Item | undefined) => (item ? [withoutMarks(HealthItem.parse(item))] : []);
  return new Map(
    actions.map(({ number, targets }) => {
      const healths = targets.flatMap(({ key }) => healthOf(found.get(keyText(targetHealthKey(org, number, key)))));
      return [number, new Map(healths.map((health) => [health.key, health]))];
    }),
  );
}

/**
 * Takes attempts into a target's health, by a conditional write (design §2.8); nothing is written where they change
 * nothing. Attempts that were made before the action was last saved leave the health alone: the save began it anew, or
 * enabled the target.
 * @param attempts in any order
 * @returns the health with the attempts in it
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
 * Writes the health of a target whose one probe somebody is about to make, unless another did so first.
 * @param before the health that was read
 * @param after the same with a later time for the next probe
 * @returns whether the probe is the caller's
 */
export const takeProbe = (
  table: Table,
  org: OrganizationId,
  action: number,
  before: TargetHealth,
  after: TargetHealth,
): Promise<boolean> =>
  table.update(targetHealthKey(org, action, before.key), {
    UpdateExpression: 'SET probeAt = :next ADD #rev :one',
    ConditionExpression: 'probeAt = :seen',
    ExpressionAttributeNames: { '#rev': 'rev' },
    ExpressionAttributeValues: { ':next': after.probeAt, ':seen': before.probeAt, ':one': 1 },
  });

/** Writes health over the one that was read with its `rev`. */
const healthWrite = (org: OrganizationId, action: number, health: HealthItem, rev: number): Write<'again'> => ({
  put: { ...targetHealthKey(org, action, health.key), v: 1, ...health, rev },
  ...(health.rev === 0
    ? { ConditionExpression: 'attribute_not_exists(pk)' }
    : {
        ConditionExpression: '#rev = :rev',
        ExpressionAttributeNames: { '#rev': 'rev' },
        ExpressionAttributeValues: { ':rev': health.rev },
      }),
  refused: again,
});

/**
 * What a save does to the health of an action's targets: those that it takes up anew begin without any, whatever was
 * once noted of them; those that it keeps are enabled again (semantics §10.5, design §6).
 */
export async function prepareHealth(
  table: Table,
  org: OrganizationId,
  action: number,
  targets: { before: readonly { key: string }[]; after: readonly { key: string }[] },
  at: Micros,
): Promise<Write<'again'>[]> {
  const items = (await table.query({ pk: targetHealthPartition(org, action) })).map((item) => HealthItem.parse(item));
  const known = new Map(items.map((item) => [item.key, item]));
  const kept = new Set(targets.before.map(({ key }) => key));
  return [...new Set(targets.after.map(({ key }) => key))].flatMap((key) => {
    const item = known.get(key);
    if (!item) return [];
    const health = kept.has(key) ? healthAfterSave(withoutMarks(item)) : freshHealth(key);
    return [healthWrite(org, action, { ...health, rev: item.rev, since: at }, item.rev + 1)];
  });
}
