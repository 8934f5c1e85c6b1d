import { FAULTS, type Fault, type Service } from './fault-proxy.ts';

/** How often things go wrong: a little all the time, and a lot in short storms. */

/** Share of calls that go wrong in fair weather, all faults together. */
const FAIR = 0.03;
/** The same in a storm. */
const STORM = 0.8;
/** A storm comes so often, and lasts so long, in milliseconds. */
const EVERY = 12_000;
const LASTS = 2_500;
/** Of the faults that hold a call up for long, so many come about: each costs a client seconds. */
const TIMEOUTS = 0.1;

export interface Weather {
  /** From now on nothing goes wrong any more. */
  clear(): void;
  decide(service: Service, operation: string): Fault | undefined;
  /** Whether something that happens with this chance in fair weather happens now: for messages. */
  chance(share: number): boolean;
  /** How often each fault was injected. */
  counts: Record<string, number>;
}

export function weather(now: () => number, random: () => number): Weather {
  const began = now();
  const counts: Record<string, number> = {};
  let clear = false;
  const note = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  const share = () => ((now() - began) % EVERY > EVERY - LASTS ? STORM : FAIR);
  return {
    counts,
    clear: () => {
      clear = true;
    },
    decide(service, operation) {
      if (clear || random() >= share()) return undefined;
      const held = random() < TIMEOUTS;
      const possible = FAULTS.filter(
        (fault) => fault.startsWith('timeout') === held && (fault !== 'conflict' || operation === 'TransactWriteItems'),
      );
      const fault = possible[Math.floor(random() * possible.length)];
      note(`${service} ${fault}`);
      return fault;
    },
    chance(chance) {
      return !clear && random() < chance;
    },
  };
}
