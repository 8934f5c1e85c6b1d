import type { EnvironmentId, Fingerprint } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { Runs } from '#shared/environments/records/running.ts';
import { type HistoryEvent, runtimeHistory } from '#shared/environments/rules/presence.ts';
import type { FoundArtifact } from './search-output.ts';

/**
 * What environments say of a fingerprint: where it runs, where it ran, and its history, oldest first.
 * @param before what else happened to it
 */
export function whereItRuns(
  fingerprint: Fingerprint,
  { byFingerprint, environments }: Runs,
  before: readonly HistoryEvent[],
): Pick<FoundArtifact, 'running_in' | 'exited_from' | 'history'> {
  const runs = byFingerprint.get(fingerprint) ?? [];
  const nameOf = (environment: EnvironmentId) => environments.get(environment) ?? '';
  const where = (running: boolean) =>
    runs
      .filter((run) => run.running === running)
      .map(({ environment }) => nameOf(environment))
      .sort();
  return {
    running_in: where(true),
    exited_from: where(false),
    history: [...before, ...runtimeHistory(runs, nameOf)]
      .toSorted((one, other) => one.at - other.at)
      .map(({ event, at }) => ({ event, timestamp: toSeconds(at) })),
  };
}
