import { FAULTS, type Fault, type Service } from '#infra/local/faults/fault-proxy.ts';

/** Decides which calls get a fault: a few all the time, and most of them in short bursts. */

/** Share of calls with a fault outside of bursts, all faults together. */
const NORMAL_SHARE = 0.03;
/** Share of calls with a fault during a burst. */
const BURST_SHARE = 0.8;
/** A burst starts this often and lasts this long. */
const BURST_INTERVAL_MILLIS = 12_000;
const BURST_MILLIS = 2_500;
/** Share of timeouts among the faults; it is low because each timeout costs a client seconds. */
const TIMEOUT_SHARE = 0.1;

export interface FaultSchedule {
  /** Ends all faults. */
  stop(): void;
  /** Returns the fault of the next call, or undefined for none. */
  decide(service: Service, operation: string): Fault | undefined;
  /** Returns true with the given probability, and false after {@link stop}. */
  chance(probability: number): boolean;
  /** How often each fault was injected. */
  counts: Record<string, number>;
}

/** @param now milliseconds @param random from 0 up to 1 */
export function faultSchedule(now: () => number, random: () => number): FaultSchedule {
  const began = now();
  const counts: Record<string, number> = {};
  let isStopped = false;
  const count = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  const share = () =>
    (now() - began) % BURST_INTERVAL_MILLIS > BURST_INTERVAL_MILLIS - BURST_MILLIS ? BURST_SHARE : NORMAL_SHARE;
  return {
    counts,
    stop: () => {
      isStopped = true;
    },
    decide(service, operation) {
      if (isStopped || random() >= share()) return undefined;
      const isTimeout = random() < TIMEOUT_SHARE;
      const possible = FAULTS.filter(
        (fault) =>
          fault.startsWith('timeout') === isTimeout && (fault !== 'conflict' || operation === 'TransactWriteItems'),
      );
      const fault = possible[Math.floor(random() * possible.length)];
      count(`${service} ${fault}`);
      return fault;
    },
    chance(probability) {
      return !isStopped && random() < probability;
    },
  };
}
