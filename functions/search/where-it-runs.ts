import type { EnvironmentId, Fingerprint } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import { type HistoryEvent, runtimeHistory } from '#shared/environments/rules/presence.ts';
import type { FoundArtifacts } from '#shared/environments/search/search-sha.ts';
import type { FoundArtifact } from './search-output.ts';

/**
 * Lists the environments in which a fingerprint runs and in which it ran, and its history, oldest first.
 * @param otherEvents events of the history that do not come from environments
 */
export function whereItRuns(
  fingerprint: Fingerprint,
  { byFingerprint, environments }: FoundArtifacts['runs'],
  otherEvents: readonly HistoryEvent[],
): Pick<FoundArtifact, 'running_in' | 'exited_from' | 'history'> {
  const runs = byFingerprint.get(fingerprint) ?? [];
  const nameOf = (environment: EnvironmentId) => environments.get(environment)?.name ?? '';
  const environmentNames = (running: boolean) =>
    runs
      .filter((run) => run.running === running)
      .map(({ environment }) => nameOf(environment))
      .sort();
  return {
    running_in: environmentNames(true),
    exited_from: environmentNames(false),
    history: [...otherEvents, ...runtimeHistory(runs, nameOf)]
      .toSorted((one, other) => one.at - other.at)
      .map(({ event, at }) => ({ event, timestamp: toSeconds(at) })),
  };
}
