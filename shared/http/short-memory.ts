import type { Clock, Micros } from '#shared/base/time.ts';

interface Remembered<V> {
  value: V;
  until: Micros;
}

/** Remembers values for a short time and never more than so many of them: the oldest gives way. */
export class ShortMemory<V> {
  readonly #entries = new Map<string, Remembered<V>>();
  readonly #clock: Clock;
  readonly #most: number;

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
  }

  get(name: string): V | undefined {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    if (entry.until > this.#clock.now()) return entry.value;
    this.#entries.delete(name);
    return undefined;
  }

  forget(name: string): void {
    this.#entries.delete(name);
  }

  set(name: string, value: V, until: Micros): void {
    this.#entries.delete(name);
    this.#entries.set(name, { value, until });
    if (this.#entries.size <= this.#most) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }
}
