import { describe, expect, it } from 'vitest';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { fromMillis } from '#shared/base/time.ts';
import {
  archiveGuard,
  type NotificationCounters,
  readNotificationCounters,
  saveGuard,
} from '#shared/notifications/records/notification-counters.ts';
import { testTable } from '#test/support/table.ts';

const table = await testTable();
const START = fromMillis(Date.UTC(2026, 5, 15, 12));

const GUARDS = { save: saveGuard, archive: archiveGuard };
type Operation = keyof typeof GUARDS;

/**
 * The outcome of the second of two operations that began together.
 * @param before operations that were completed before both began
 */
async function second(before: readonly Operation[], first: Operation, next: Operation): Promise<'done' | 'again'> {
  const org = newId<OrganizationId>(START);
  const write = (operation: Operation, seen: NotificationCounters) => table.transact([GUARDS[operation](org, seen)]);
  for (const operation of before)
    expect(await write(operation, await readNotificationCounters(table, org))).toBe('done');
  const seen = await readNotificationCounters(table, org);
  expect(await write(first, seen)).toBe('done');
  return write(next, seen);
}

describe.each([
  ['for the first time', []],
  ['after others', ['save', 'archive', 'save']],
] as const)('the guards of saved notifications and archived environments, %s', (_, before) => {
  it.each(['save', 'archive'] as const)('let two operations %s at the same time', async (operation) => {
    expect(await second(before, operation, operation)).toBe('done');
  });

  it.each([
    ['save', 'archive'],
    ['archive', 'save'],
  ] as const)('refuse a %s whose data is older than an %s', async (next, first) => {
    expect(await second(before, first, next)).toBe('again');
  });
});
