import { FunctionProcess } from './function-process.ts';
import type { ProcessWatch } from './process-watch.ts';

interface ContainerOptions {
  /** Most containers of the function. */
  count: number;
  /** Ends containers that this process cannot end any more. */
  watch: ProcessWatch;
  /** Returns a number from 0 to 1. */
  random?: () => number;
  /** Shortest and longest life of a container, in milliseconds. */
  lifeMillis?: readonly [number, number];
}

/** A container lives for a fraction of the hours of a region, so that a run of minutes sees several ends. */
const LIFE_MILLIS = [60_000, 300_000] as const;

interface Container {
  process: FunctionProcess;
  isBusy: boolean;
  /** Time at which the container ends, in milliseconds of the process clock. */
  endsAt: number;
}

/**
 * The containers of one function, as a region runs them: each is a process with a memory of its own, runs one call at a time,
 * is frozen between calls, and ends at some time without notice. A call gets any free container, or waits for one.
 */
export class Containers {
  readonly #containers: readonly Container[];
  readonly #waiting: (() => void)[] = [];
  readonly #random: () => number;
  readonly #lifeMillis: readonly [number, number];

  /**
   * @param folder folder with the unpacked archive of the function
   * @param environment returns the settings of the function
   */
  constructor(folder: string, environment: () => Record<string, string>, options: ContainerOptions) {
    const { count, watch, random = Math.random, lifeMillis = LIFE_MILLIS } = options;
    this.#random = random;
    this.#lifeMillis = lifeMillis;
    this.#containers = Array.from({ length: count }, () => ({
      process: new FunctionProcess(folder, environment, watch),
      isBusy: false,
      endsAt: this.#nextEnd(),
    }));
  }

  /**
   * Calls the function in a free container. As in a region, a call that exceeds its time limit ends its container.
   *
   * @throws Error if the handler throws, or if the container ends
   */
  async invoke(event: unknown, timeoutMillis: number): Promise<unknown> {
    const container = await this.#free();
    const { process } = container;
    const timer = setTimeout(() => process.signal('SIGKILL'), timeoutMillis);
    try {
      if (performance.now() > container.endsAt) {
        await process.kill();
        container.endsAt = this.#nextEnd();
      }
      process.signal('SIGCONT');
      return await process.invoke(event, timeoutMillis);
    } finally {
      clearTimeout(timer);
      process.signal('SIGSTOP');
      container.isBusy = false;
      this.#waiting.shift()?.();
    }
  }

  /** Ends all containers. A frozen process does not notice anything else than SIGKILL. */
  async stop(): Promise<void> {
    await Promise.all(this.#containers.map(({ process }) => process.kill()));
  }

  async #free(): Promise<Container> {
    for (;;) {
      const free = this.#containers.filter(({ isBusy }) => !isBusy);
      const chosen = free[Math.floor(this.#random() * free.length)];
      if (chosen) {
        chosen.isBusy = true;
        return chosen;
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #nextEnd(): number {
    const [shortest, longest] = this.#lifeMillis;
    return performance.now() + shortest + this.#random() * (longest - shortest);
  }
}
