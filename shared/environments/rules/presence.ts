import type { EnvironmentId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';

/** Where a fingerprint runs or ran last, one per environment. */
export interface RunsIn {
  environment: EnvironmentId;
  /** The snapshot in which it started or stopped last, and its time. */
  index: number;
  at: Micros;
  running: boolean;
  /** The snapshot in which it had started before it stopped, and its time. */
  startIndex?: number | undefined;
  startAt?: Micros | undefined;
}

export interface HistoryEvent {
  event: string;
  at: Micros;
}

/** What the environments say of an artifact's history, oldest first, word for word (wire environments §4.6). */
export function runtimeHistory(
  runs: readonly RunsIn[],
  nameOf: (environment: EnvironmentId) => string,
): HistoryEvent[] {
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
