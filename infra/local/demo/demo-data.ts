import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OnRecords } from '../events/event-source.ts';
import { type DemoStack, loadDemo } from './load.ts';
import { isPublished, DEMO_ORGANIZATION as ORG } from './people.ts';
import { INCOMPLETE } from './releases.ts';

/** File of the data directory from the beginning of a load to its end, so that the next start repeats a load that did not end. */
const LOADING_FILE = 'demo-data.loading';

/** The demo data of a stack: decides whether they are loaded, and loads them while the stack runs. */
export class DemoData {
  readonly #loadingFile: string | undefined;
  readonly #print: (text: string) => void;
  readonly #ending = new AbortController();
  #running: Promise<void> | undefined;
  #loaded: Promise<void> | undefined;

  /** @param dataDir undefined if the data are in memory */
  constructor(dataDir: string | undefined, print: (text: string) => void) {
    this.#loadingFile = dataDir === undefined ? undefined : join(dataDir, LOADING_FILE);
    this.#print = print;
  }

  /**
   * Loads the demo data into a new stack, and into one whose load did not end.
   *
   * @param isNew whether this start made the demo organization
   * @returns when the load ended. A load that failed prints its error
   */
  async start(stack: DemoStack, isNew: boolean): Promise<void> {
    const isInterrupted = this.#loadingFile !== undefined && existsSync(this.#loadingFile);
    if (isNew || isInterrupted) this.#running = this.#run(stack);
    await this.#running;
  }

  /** Ends the load before its next request. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  /**
   * Lets the relay wait during the load, which makes the deliveries of its own events. The relay would make them first, with
   * attempts at the present time. Large batches afterwards also cost less than small ones beside the load.
   */
  held(relay: OnRecords): OnRecords {
    return async (event) => {
      await this.#loaded;
      return relay(event);
    };
  }

  async #run(stack: DemoStack): Promise<void> {
    const begun = performance.now();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#loaded = promise;
    try {
      if (this.#loadingFile !== undefined) writeFileSync(this.#loadingFile, '');
      const isThere = await isPublished(stack.services);
      if (!isThere)
        this.#print(`Filling the organization ${ORG} with demo data. It becomes visible when it is complete.\n`);
      const requests = isThere ? 0 : await loadDemo(stack, this.#ending.signal);
      if (requests === undefined) return;
      if (this.#loadingFile !== undefined) rmSync(this.#loadingFile);
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      if (requests > 0) this.#print(loadedText(stack.services.address, requests, seconds));
    } catch (error) {
      if (this.#ending.signal.aborted) return;
      console.error('The demo data could not be loaded. The next start tries again.', error);
    } finally {
      resolve();
    }
  }
}

const loadedText = (url: string, requests: number, seconds: string): string =>
  [
    `The organization ${ORG} has the demo data of 90 days (${requests} requests in ${seconds} s). Pages to begin with:`,
    '',
    `  an environment that is not compliant   ${url}/${ORG}/environments/prod`,
    `  the trail that lacks a review          ${url}/${ORG}/flows/${INCOMPLETE.flow}/trails/${INCOMPLETE.trail}`,
    `  deliveries that failed                 ${url}/${ORG}/deliveries?state=dead`,
    '',
  ].join('\n');
