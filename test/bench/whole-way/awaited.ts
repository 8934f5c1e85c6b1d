import { setTimeout as sleep } from 'node:timers/promises';
import { ORG, type WholeClient } from './client.ts';

/** Effects that were caused and did not come yet. */
class Awaited {
  readonly #since = new Map<string, number>();
  readonly #lags: number[] = [];
  #lastAt = 0;

  expect(name: string): void {
    this.#since.set(name, performance.now());
  }

  /** Counts the time of an effect that did not come yet from now on. */
  startAgain(name: string): void {
    if (this.#since.has(name)) this.expect(name);
  }

  arrived(name: string): void {
    const at = this.#since.get(name);
    if (at === undefined) return;
    this.#since.delete(name);
    this.#lastAt = performance.now();
    this.#lags.push(this.#lastAt - at);
  }

  get names(): string[] {
    return [...this.#since.keys()];
  }

  /** When the last effect came. */
  get lastAt(): number {
    return this.#lastAt;
  }

  /** Returns how long the effects took that came since the last call, in milliseconds. */
  takeLags(): number[] {
    return this.#lags.splice(0);
  }

  /** Waits until nothing is awaited. @returns how many effects did not come */
  async untilNone(seconds: number): Promise<number> {
    const deadline = performance.now() + seconds * 1_000;
    while (this.#since.size > 0 && performance.now() < deadline) await sleep(20);
    const missing = this.#since.size;
    this.#since.clear();
    return missing;
  }
}

/** Webhooks, by the name of the attestation. */
export class Webhooks extends Awaited {
  receive(body: string): void {
    this.arrived((JSON.parse(body) as { attestation?: { name: string } }).attestation?.name ?? '');
  }
}

const POLL_MILLIS = 50;

/** Receipts, by their addresses. */
export class Receipts extends Awaited {
  /** @throws Error if the answer of a write names no receipt */
  expectOf(answer: Response): void {
    const receipt = /<([^>]*)>; rel="receipt"/.exec(answer.headers.get('link') ?? '')?.[1];
    if (receipt === undefined) throw new Error('A write was answered without the address of its receipt');
    this.expect(new URL(receipt).pathname.replace('/api/v2', ''));
  }

  /** Asks for receipts after each new checkpoint, because no receipt can become ready without one. */
  async poll(client: WholeClient, isOver: () => boolean): Promise<void> {
    let checkpoint = '';
    while (!isOver()) {
      const names = this.names;
      const answer = await client.get(`/log/${ORG}/checkpoint`);
      const text = await answer.text();
      if (answer.ok && text !== checkpoint) {
        const answers = await Promise.all(names.map((name) => client.get(name)));
        for (const [i, name] of names.entries()) {
          await answers[i]?.body?.cancel();
          if (answers[i]?.status === 200) this.arrived(name);
        }
        checkpoint = text;
      }
      await sleep(POLL_MILLIS);
    }
  }
}
