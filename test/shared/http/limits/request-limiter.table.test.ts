import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { fromSeconds } from '#shared/base/time.ts';
import { LimitReached } from '#shared/http/limits/limit-reached.ts';
import { type Asking, RequestLimiter } from '#shared/http/limits/request-limiter.ts';
import { limitKey } from '#shared/table/keys.ts';
import type { Table } from '#shared/table/table.ts';
import { steppingClock } from '#test/support/clock.ts';
import { testTable } from '#test/support/table.ts';

const WIDE = { rate: 100_000, burst: 100_000 };
const LIMITS = {
  stage: WIDE,
  organization: { requests: { rate: 10, burst: 200 }, writes: { rate: 5, burst: 100 } },
  key: { requests: WIDE, writes: WIDE },
};
const SECOND = 1_000_000;

let table: Table;
beforeAll(async () => {
  table = await testTable();
});

let clock: ReturnType<typeof steppingClock>;
let asking: Asking;
beforeEach(() => {
  clock = steppingClock(fromSeconds(1_800_000_000));
  const id = newId<OrganizationId>(clock.now());
  asking = { org: { id, name: 'acme' }, key: `key-of-${id}`, isWrite: false };
});
const container = () => new RequestLimiter({ table, clock }, LIMITS);

/** Sends requests one after another, as a container does that settles beside them. @returns how many were admitted */
async function send(limiter: RequestLimiter, count: number, asked = asking): Promise<number> {
  let admitted = 0;
  for (let i = 0; i < count; i += 1) {
    try {
      limiter.admit(asked);
      admitted += 1;
    } catch (error) {
      expect(error).toBeInstanceOf(LimitReached);
    }
    await limiter.settle();
  }
  return admitted;
}

const counterOf = async (id = asking.org?.id ?? '') => table.get(limitKey(id));

describe('the limits of organizations and keys', () => {
  it('admit the burst, and then what time brings', async () => {
    const one = container();
    expect(await send(one, 300)).toBe(200);
    clock.advance(3 * SECOND);
    expect(await send(one, 100)).toBe(30);
  });

  it('count changes apart from requests', async () => {
    const one = container();
    expect(await send(one, 300, { ...asking, isWrite: true })).toBe(100);
    expect(await send(one, 300)).toBe(100);
  });

  it('say what was reached, and when to try again', () => {
    const one = container();
    const narrow = { requests: { rate: 2, burst: 2 }, writes: { rate: 2, burst: 2 } };
    const asked = { ...asking, org: { ...asking.org, name: 'acme', limits: narrow } as Asking['org'] };
    one.admit(asked);
    one.admit(asked);
    expect(() => one.admit(asked)).toThrow(
      "The organization 'acme' sends more requests than 2 a second. Try again in 1 s",
    );
    const { headers } = catching(() => one.admit(asked));
    expect(headers).toEqual({
      'retry-after': '1',
      ratelimit: '"organization-requests";r=0;t=1',
      'ratelimit-policy': '"organization-requests";q=2;w=1',
    });
  });

  it('hold for all containers together, however many there are', async () => {
    const containers = Array.from({ length: 5 }, container);
    let admitted = 0;
    for (let second = 0; second < 60; second += 1) {
      for (const one of containers) admitted += await send(one, 50);
      clock.advance(SECOND);
    }
    // Each container can admit 40 requests before it learns of the others.
    expect(admitted).toBeLessThanOrEqual(200 + 60 * 10 + 5 * 40);
    expect(admitted).toBeGreaterThanOrEqual(200 + 60 * 10 - 5 * 40);
  });

  it('cost at most one write in 40 requests for each organization and each key', async () => {
    const one = container();
    let settled = 0;
    const counted = {
      updateReturningOld: (...args: Parameters<Table['updateReturningOld']>) => {
        settled += 1;
        return table.updateReturningOld(...args);
      },
    };
    const limiter = new RequestLimiter({ table: Object.assign(Object.create(table), counted), clock }, LIMITS);
    expect(await send(limiter, 79)).toBe(79);
    expect(settled).toBe(2);
    expect(await send(one, 39)).toBe(39);
    expect(settled).toBe(2);
    expect(await counterOf()).toMatchObject({ requests: 40, writes: 0 });
  });

  it('count everything of containers that settle at the same instant', async () => {
    const [one, other] = [container(), container()];
    for (const limiter of [one, other]) for (let i = 0; i < 40; i += 1) limiter.admit(asking);
    await Promise.all([one.settle(), other.settle()]);
    expect(await counterOf()).toMatchObject({ requests: 80 });
    expect(await counterOf(asking.key)).toMatchObject({ requests: 80 });
  });

  it('begin again if the counter is gone', async () => {
    const one = container();
    await send(one, 40);
    await table.write({ remove: limitKey(asking.org?.id ?? '') });
    expect(await send(one, 40)).toBe(40);
    expect(await counterOf()).toMatchObject({ requests: 40 });
  });

  it('tell a container that starts how much is left', async () => {
    await send(container(), 200);
    const late = container();
    await send(late, 40);
    expect(() => late.admit(asking)).toThrow(LimitReached);
  });

  it('count what could not be settled at the next request', async () => {
    let fails = true;
    const flaky = {
      updateReturningOld: (...args: Parameters<Table['updateReturningOld']>) => {
        if (fails) throw new Error('throttled');
        return table.updateReturningOld(...args);
      },
    };
    const limiter = new RequestLimiter({ table: Object.assign(Object.create(table), flaky), clock }, LIMITS);
    for (let i = 0; i < 40; i += 1) limiter.admit(asking);
    await expect(limiter.settle()).rejects.toThrow('throttled');
    fails = false;
    limiter.admit(asking);
    await limiter.settle();
    expect(await counterOf()).toMatchObject({ requests: 41 });
  });
});

function catching(call: () => void): LimitReached {
  try {
    call();
  } catch (error) {
    if (error instanceof LimitReached) return error;
    throw error;
  }
  throw new Error('Nothing was refused');
}
