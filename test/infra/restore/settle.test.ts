import { describe, expect, it } from 'vitest';
import { parseInstant } from '#infra/restore/instant.ts';
import { settle } from '#infra/restore/settle.ts';
import { fromSeconds } from '#shared/base/time.ts';

const noWait = { closedMillis: 0, quietMillis: 0 };

describe('settle', () => {
  it('waits until every queue is empty', async () => {
    const counts = [2, 1, 0];
    await settle(noWait, { waiting: async () => new Map([['log-entries', counts.shift() ?? 0]]) }, () => undefined);
    expect(counts).toEqual([]);
  });

  it('gives up after its time, and names the queues that are not empty', async () => {
    const waiting = async () =>
      new Map([
        ['deliveries', 0],
        ['expansions', 3],
      ]);
    await expect(settle(noWait, { waiting }, () => undefined, -1)).rejects.toThrow(
      'These messages are not worked off: 3 of expansions. Look at the functions of these queues, then repeat the command',
    );
  });
});

describe('the instant of a restore', () => {
  it.each(['1772366400', '2026-03-01T12:00:00Z', '2026-03-01T12:00:00.000Z', '2026-03-01T13:00:00+01:00'])(
    '%s is an instant in whole seconds',
    (text) => expect(parseInstant(text)).toBe(fromSeconds(1_772_366_400)),
  );

  it.each([
    '',
    'yesterday',
    '2026-03-01',
    '2026-03-01T12:00:00',
    '2026-03-01T12:00:00.5Z',
    '1772366400.5',
    '-1',
    '2026-13-01T12:00:00Z',
  ])("'%s' is refused with an example", (text) =>
    expect(() => parseInstant(text)).toThrow(`--to is '${text}'. Give whole seconds since the epoch`),
  );
});
