import { describe, expect, it } from 'vitest';
import { CONNECTIONS } from '#shared/base/client-settings.ts';
import { counted, metered, newCount } from '#shared/table/meter.ts';
import { READS_AT_ONCE, readEach } from '#shared/table/read-each.ts';

const things = Array.from({ length: 3 * READS_AT_ONCE }, (_, i) => i);
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
const call = () => metered('DynamoDB.Query', nextTurn);

describe('readEach', () => {
  it('makes a limited number of reads at the same time, and returns the results in order', async () => {
    let running = 0;
    let most = 0;
    const results = await readEach(things, async (thing) => {
      running += 1;
      most = Math.max(most, running);
      await nextTurn();
      running -= 1;
      return thing;
    });
    expect(results).toEqual(things);
    expect(most).toBe(READS_AT_ONCE);
  });

  it('takes no more connections than a client has, even if four kinds of reads run side by side', () => {
    expect(4 * READS_AT_ONCE).toBeLessThanOrEqual(CONNECTIONS);
  });

  it('counts reads as one sequential call, and calls that follow one another within a read as several', async () => {
    const count = newCount();
    await counted(async () => {
      await call();
      await readEach(things, call);
      await Promise.all([readEach(things, call), readEach(things, () => call().then(call))]);
    }, count);
    expect(count).toMatchObject({ calls: 1 + 4 * things.length, sequential: 1 + 1 + 2 });
    expect(count.log).toHaveLength(count.calls);
  });

  it('starts no further reads after a failure', async () => {
    let started = 0;
    const fail = () => {
      started += 1;
      return Promise.reject(new Error(`read ${started}`));
    };
    await expect(readEach(things, fail)).rejects.toThrow('read 1');
    expect(started).toBeLessThanOrEqual(READS_AT_ONCE);
  });
});
