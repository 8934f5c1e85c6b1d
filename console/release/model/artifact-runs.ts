import { duration } from '../../model/time.ts';
import { listed } from '../../model/words.ts';
import type { FoundArtifact } from '../../search/operations.ts';
import type { LastStart } from '../operations.ts';

type HistoryEvent = FoundArtifact['history'][number];

/** A time in which an artifact ran in an environment. */
export interface RunTime {
  environment: string;
  /** Snapshot in which it started; null if the answer does not tell. */
  started: number | null;
  /** Snapshot in which it was gone; null while it runs. */
  stopped: number | null;
  from: number | null;
  to: number | null;
}

/** The API writes starts and stops as these sentences. Names of environments hold no `#`. */
const EVENT = /^(Started running|No longer running) in ([^#]+)#(\d+) environment$/;

/** When an artifact ran where, the newest first. A stop without a start is a run whose start is not in the answer. */
export function runTimesOf(history: readonly HistoryEvent[]): RunTime[] {
  const runs: RunTime[] = [];
  const open = new Map<string, RunTime>();
  for (const { event, timestamp } of history.toSorted((one, other) => one.timestamp - other.timestamp)) {
    const [, verb, environment = '', index] = EVENT.exec(event) ?? [];
    if (verb === undefined) continue;
    const known = open.get(environment);
    if (verb === 'Started running') {
      const run = { environment, started: Number(index), stopped: null, from: timestamp, to: null };
      open.set(environment, run);
      runs.push(run);
    } else if (known) {
      known.stopped = Number(index);
      known.to = timestamp;
      open.delete(environment);
    } else runs.push({ environment, started: null, stopped: Number(index), from: null, to: timestamp });
  }
  return runs.toReversed();
}

/** Where an artifact runs and since when, and what it left: `Runs in prod since 3 d. Left staging 2 d ago.` */
export function runsText(runs: readonly RunTime[], now: number): string {
  const running = runs.filter(({ to }) => to === null);
  const present = new Set(running.map(({ environment }) => environment));
  const left = runs.filter(({ to, environment }) => to !== null && !present.has(environment));
  const newest = [...new Map(left.toReversed().map((run) => [run.environment, run])).values()];
  const where = running.map(({ environment, from }) => `${environment} for ${duration(now - (from ?? now))}`);
  const parts = [
    running.length > 0 ? `Runs in ${listed(where)}.` : 'Runs nowhere now.',
    newest.length > 0 &&
      `Left ${listed(newest.map(({ environment, to }) => `${environment} ${duration(now - (to ?? now))} ago`))}.`,
  ];
  return parts.filter((part) => part !== false).join(' ');
}

/** What is known of the start of a run: of the last one in each environment. */
export const startOf = ({ environment, started }: RunTime, starts: readonly LastStart[]): LastStart | undefined =>
  starts.find(({ environment_name: name, snapshot_index: index }) => name === environment && index === started);
