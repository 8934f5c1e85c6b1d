import { describe, expect, it } from 'vitest';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { readTurns, type Turns, turnToArchive, turnToSave } from '#shared/notifications/records/notification-turns.ts';
import { testTable } from '#test/support/table.ts';

const table = await testTable();
const START = Date.UTC(2026, 5, 15, 12) * 1000;

const TURNS = { save: turnToSave, archive: turnToArchive };
type Turn = keyof typeof TURNS;

/** What comes of the second of two that began together: with what was done `before`, or for the first time. */
async function second(before: readonly Turn[], first: Turn, next: Turn): Promise<'done' | 'again'> {
  const org = newId<OrganizationId>(START);
  const take = (turn: Turn, seen: Turns) => table.transact([TURNS[turn](org, seen)]);
  for (const turn of before) expect(await take(turn, await readTurns(table, org))).toBe('done');
  const seen = await readTurns(table, org);
  expect(await take(first, seen)).toBe('done');
  return take(next, seen);
}

describe.each([
  ['for the first time', []],
  ['after others', ['save', 'archive', 'save']],
] as const)('the turns of those who save notifications and archive environments, %s', (_, before) => {
  it.each(['save', 'archive'] as const)('let two of those who %s do it at once', async (turn) => {
    expect(await second(before, turn, turn)).toBe('done');
  });

  it.each([
    ['save', 'archive'],
    ['archive', 'save'],
  ] as const)('send back whoever would %s by what was there before an %s', async (next, first) => {
    expect(await second(before, first, next)).toBe('again');
  });
});
