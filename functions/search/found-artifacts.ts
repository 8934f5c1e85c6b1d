import { artifactUrl, type Place } from '#functions/forms/artifact-url.ts';
import type { EnvironmentId, Fingerprint } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import { erasedOut } from '#shared/bodies/erasure.ts';
import { pageUrl } from '#shared/console/pages.ts';
import { type HistoryEvent, runtimeHistory } from '#shared/environments/rules/presence.ts';
import type { FoundArtifacts, FoundReport } from '#shared/environments/search/search-sha.ts';
import type { FoundArtifact } from './search-output.ts';

type Runs = FoundArtifacts['runs'];

/** Shapes the artifacts of a search: the reported ones, and then the unreported ones (rules/lookups.md#found-artifacts). */
export const foundArtifactsOut = ({ reported, unreported, runs }: FoundArtifacts, place: Place): FoundArtifact[] => [
  ...reported.map((one) => reportedArtifact(one, runs, place)),
  ...unreported.map((one) => unreportedArtifact(one, runs, place)),
];

function reportedArtifact({ record, facts, verdict, flow }: FoundReport, runs: Runs, place: Place): FoundArtifact {
  const { id, fingerprint, commit, at } = record;
  return {
    fingerprint,
    name: facts.filename || record.name,
    flow,
    git_commit: commit,
    has_provenance: true,
    commit_url: facts.commit_url,
    build_url: facts.build_url,
    html_url: artifactUrl(place, flow, fingerprint, id),
    compliance_state: verdict.status,
    ...whereItRuns(fingerprint, runs, [{ event: `${record.name} reported`, at }]),
    ...erasedOut(record.facts.erased),
  };
}

/** An artifact that runs or ran without a report in any flow (rules/lookups.md#unreported-artifacts). */
const unreportedArtifact = (
  { fingerprint, name }: FoundArtifacts['unreported'][number],
  runs: Runs,
  place: Place,
): FoundArtifact => ({
  fingerprint,
  name,
  flow: '',
  git_commit: '',
  has_provenance: false,
  commit_url: '',
  build_url: '',
  html_url: snapshotUrl(fingerprint, runs, place),
  // INCOMPLETE and not NON-COMPLIANT: all evidence is missing, but no check failed.
  compliance_state: 'INCOMPLETE',
  ...whereItRuns(fingerprint, runs, []),
});

/** The page of the snapshot in which the artifact last started or stopped; empty if all its environments are archived. */
function snapshotUrl(fingerprint: Fingerprint, { byFingerprint, environments }: Runs, place: Place): string {
  const [last] = (byFingerprint.get(fingerprint) ?? []).toSorted((one, other) => other.at - one.at);
  if (!last) return '';
  return pageUrl(place, '/{org}/environments/{env}/snapshots/{expression}', {
    env: environments.get(last.environment)?.name ?? '',
    expression: String(last.index),
  });
}

/** The environments in which a fingerprint runs and ran, and its history, oldest first. */
function whereItRuns(
  fingerprint: Fingerprint,
  { byFingerprint, environments }: Runs,
  otherEvents: readonly HistoryEvent[],
): Pick<FoundArtifact, 'running_in' | 'exited_from' | 'history'> {
  const runs = byFingerprint.get(fingerprint) ?? [];
  const nameOf = (environment: EnvironmentId) => environments.get(environment)?.name ?? '';
  const namesIf = (wanted: boolean) =>
    runs.flatMap(({ environment, running }) => (running === wanted ? [nameOf(environment)] : [])).sort();
  return {
    running_in: namesIf(true),
    exited_from: namesIf(false),
    history: [...otherEvents, ...runtimeHistory(runs, nameOf)]
      .toSorted((one, other) => one.at - other.at)
      .map(({ event, at }) => ({ event, timestamp: toSeconds(at) })),
  };
}
