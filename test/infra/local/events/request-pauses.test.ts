import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { RequestPauses } from '#infra/local/events/request-pauses.ts';

const never = new AbortController().signal;

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
  const stopping = new AbortController();
  const work = pauses.next(stopping.signal).then(() => !stopping.signal.aborted);
  await sleep(30);
  stopping.abort();
  return work;
}

it('work begins at once while nobody asks', async () => {
  await new RequestPauses(() => 0).next(never);
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
