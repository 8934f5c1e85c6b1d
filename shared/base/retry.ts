import { AsyncLocalStorage } from 'node:async_hooks';

/** Other writers stood in the way, or the database was busy, for longer than we may wait. */
export class Contention extends Error {
  constructor() {
    super('Gave up after repeated conflicts with other writers');
    this.name = 'Contention';
  }
}

/** How long a request tries again before it gives up (design §2.3). */
export const PATIENCE_MILLIS = 20_000;
const FIRST_WAIT_MILLIS = 20;
const LONGEST_WAIT_MILLIS = 1_000;

export interface Patience {
  patienceMillis?: number;
  now?: () => number;
  random?: () => number;
  sleep?: (millis: number) => Promise<void>;
}

/** When the work that a repetition is part of gives up: patience does not add up. */
const givingUp = new AsyncLocalStorage<number>();

/**
 * Repeats `attempt` while it says `again`, waiting a random time of up to twice as long each round (full jitter).
 * @throws Contention when the patience is used up
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
