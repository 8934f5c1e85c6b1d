import type { EnvironmentId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';

/** Whether a fingerprint runs in an environment, or ran there last. */
export interface RunsIn {
  environment: EnvironmentId;
  /** Number of the snapshot in which it started or stopped last. */
  index: number;
  at: Micros;
  running: boolean;
  /** After a stop: number of the snapshot in which it had started, and in `startAt` its time. */
  startIndex?: number | undefined;
  startAt?: Micros | undefined;
}

export interface HistoryEvent {
  event: string;
  at: Micros;
}

/** The starts and stops of an artifact as history events, oldest first. The texts are fixed (rules/artifacts.md#history). */
export function runtimeHistory(runs: readonly RunsIn[], nameOf: (environment: EnvironmentId) => string) {
  return runs
    .flatMap(({ environment, index, at, running, startIndex, startAt }) => {
      const name = nameOf(environment);
      const started = (snapshot: number, when: Micros) => ({
        event: `Started running in ${name}#${snapshot} environment`,
        at: when,
      });
      if (running) return [started(index, at)];
      const stopped = { event: `No longer running in ${name}#${index} environment`, at };
      return startIndex === undefined || startAt === undefined ? [stopped] : [started(startIndex, startAt), stopped];
    })
    .sort((one, other) => one.at - other.at);
}
