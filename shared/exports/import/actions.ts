import * as z from 'zod';
import { batchesOf } from '#shared/base/parallel.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { actionCounterKey } from '#shared/notifications/records/keys.ts';
import type { ImportFamily } from './family.ts';
import type { ImportSource } from './source.ts';

/**
 * Actions. An export has neither their whole addresses nor their signing secrets, and a version with a cut address would send old
 * events to a wrong place. So no version is built, and the audit log says that the import removed them.
 */

const ActionLine = z.object({ number: z.int(), name: z.string(), kind: z.string(), deleted: z.boolean() });

const actions: ImportFamily = {
  name: 'actions',
  kinds: ['action'],
  async *items({ org, source }) {
    let last = 0;
    for await (const line of source.lines('actions')) last = Math.max(last, ActionLine.parse(line).number);
    // No number is used twice (rules/notifications.md#kinds-and-numbers).
    if (last > 0) yield [{ ...actionCounterKey(org), v: 1, last }];
  },
};

/** What was sent for actions. It is history that no proof rests on. */
const sent = (name: string, ...kinds: string[]): ImportFamily => ({ name, kinds, async *items() {} });

export const ACTION_FAMILIES: readonly ImportFamily[] = [
  actions,
  sent('target-health', 'target_health'),
  sent('deliveries', 'delivery', 'attempt'),
];

/** An entry of the audit log is an item, which has at most 400 KB. */
const COVERS_AT_ONCE = 500;

/** Returns what the removal of all versions of actions leaves behind, in parts for one entry of the audit log each. */
export async function removedActions(source: ImportSource): Promise<Cover[][]> {
  const covers: Cover[] = [];
  for await (const line of source.lines('actions')) {
    const { log_index: _, ...covered } = line;
    covers.push(coverOf('actions/action', covered, undefined));
  }
  return batchesOf(covers, COVERS_AT_ONCE);
}

/** Returns the names of the actions that were not deleted. */
export async function lostActions(source: ImportSource): Promise<string[]> {
  const names = new Map<number, string>();
  for await (const line of source.lines('actions')) {
    const { number, name, kind, deleted } = ActionLine.parse(line);
    // The versions of an action come in their order.
    if (deleted) names.delete(number);
    else names.set(number, `'${name}' (${kind})`);
  }
  return [...names.values()];
}
