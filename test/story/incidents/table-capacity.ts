import type { Disturbance } from '#infra/local/faults/fault-endpoints.ts';

/** Of so many calls beyond its capacity a table serves one, because a second later it has capacity again. */
const ONE_OF = 4;

/** A table that serves a number of transactions at once, and throttles most of the others. */
export class TableCapacity implements Disturbance {
  #calls = 0;
  #capacity = Number.POSITIVE_INFINITY;
  #throttled = 0;

  /** Begins a period. @param transactions that the table serves in it at once */
  begin(transactions: number): void {
    this.#capacity = transactions;
    this.#calls = 0;
    this.#throttled = 0;
  }

  /** Throttled calls since the period began: a sample of `WriteThrottleEvents`, which counts at least one for each of them. */
  get throttled(): number {
    return this.#throttled;
  }

  readonly decide: NonNullable<Disturbance['decide']> = (service, operation) => {
    if (service !== 'dynamodb' || operation !== 'TransactWriteItems') return undefined;
    this.#calls += 1;
    if (this.#calls <= this.#capacity || this.#calls % ONE_OF === 0) return undefined;
    this.#throttled += 1;
    return 'throttle';
  };
}
