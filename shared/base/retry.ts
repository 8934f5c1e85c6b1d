import { AsyncLocalStorage } from 'node:async_hooks';

/** Other writers changed the same items, or the database was busy, for longer than a request may wait. */
export class Contention extends Error {
  constructor() {
    super('Gave up after repeated conflicts with other writers');
    this.name = 'Contention';
  }
}

/**
 * How long a request retries. It must answer before the 30 seconds of the gateway are over
 * (rules/storage.md#lost-races).
 */
export const PATIENCE_MILLIS = 20_000;
const FIRST_WAIT_MILLIS = 20;
const LONGEST_WAIT_MILLIS = 1_000;

interface Patience {
  patienceMillis?: number;
  now?: () => number;
  random?: () => number;
  sleep?: (millis: number) => Promise<void>;
}

/** The deadline of the outermost `retrying`. Inner ones share it, so that their waiting times do not add up. */
const givingUp = new AsyncLocalStorage<number>();

/** The usual meaning of a refused condition: read again and retry. For `refused` of a write. */
export const again = () => 'again' as const;

/**
 * Repeats `attempt` while it returns `again`. The wait before each further round is random, and its upper bound doubles
 * from round to round (full jitter).
 * @throws Contention when the next round would begin after `patienceMillis`
 */
export async function retrying<T>(attempt: () => Promise<T | 'again'>, options: Patience = {}): Promise<T> {
  const { patienceMillis = PATIENCE_MILLIS, now = Date.now, random = Math.random, sleep = wait } = options;
  const deadline = Math.min(now() + patienceMillis, givingUp.getStore() ?? Number.POSITIVE_INFINITY);
  for (let round = 0; ; round += 1) {
    const outcome = await givingUp.run(deadline, attempt);
    if (outcome !== 'again') return outcome;
    const longest = Math.min(LONGEST_WAIT_MILLIS, FIRST_WAIT_MILLIS * 2 ** round);
    const pause = Math.ceil(random() * longest);
    if (now() + pause >= deadline) throw new Contention();
    await sleep(pause);
  }
}

const wait = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis));
