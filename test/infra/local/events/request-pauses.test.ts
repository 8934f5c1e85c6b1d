import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { RequestPauses } from '#infra/local/events/request-pauses.ts';

/** A clock that the test moves, and a request that the test ends. */
function started() {
  const clock = { millis: 0 };
  const pauses = new RequestPauses(() => clock.millis);
  const { promise, resolve } = Promise.withResolvers<void>();
  const answered = pauses.during(promise);
  return { clock, pauses, end: () => resolve(), answered };
}

/** Whether the work begins although the clock stands still. */
async function begins(pauses: RequestPauses): Promise<boolean> {
  onTestFinished(() => pauses.end());
  let hasBegun = false;
  const work = pauses.between(async () => {
    hasBegun = true;
  });
  void work(undefined);
  await sleep(30);
  return hasBegun;
}

it('work begins at once while nobody asks', async () => {
  expect(await begins(new RequestPauses(() => 0))).toBe(true);
});

it('work that waits begins when the stack stops, and gives its answer', async () => {
  const { pauses } = started();
  const answer = pauses.between(async (event: string) => `${event} done`)('batch');
  pauses.end();
  expect(await answer).toBe('batch done');
});

it('work waits for the end of a request, and for a pause behind it', async () => {
  const { clock, pauses, end, answered } = started();
  expect(await begins(pauses)).toBe(false);
  end();
  await answered;
  clock.millis += 19;
  expect(await begins(pauses)).toBe(false);
  clock.millis += 1;
  expect(await begins(pauses)).toBe(true);
});

it('work begins beside requests that have come for two seconds without a pause', async () => {
  const { clock, pauses, end, answered } = started();
  clock.millis += 1_999;
  end();
  await answered;
  const next = pauses.during(new Promise(() => undefined));
  expect(await begins(pauses)).toBe(false);
  clock.millis += 1;
  expect(await begins(pauses)).toBe(true);
  expect(next).toBeInstanceOf(Promise);
});

it('a pause ends the time for which requests came, and a request that fails ends as others do', async () => {
  const { clock, pauses, end, answered } = started();
  clock.millis += 3_000;
  end();
  await answered;
  clock.millis += 20;
  await expect(pauses.during(Promise.reject(new Error('no answer')))).rejects.toThrow('no answer');
  expect(await begins(pauses)).toBe(false);
  clock.millis += 20;
  expect(await begins(pauses)).toBe(true);
});
