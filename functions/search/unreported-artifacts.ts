import { absolute } from '#shared/base/addresses.ts';
import type { Fingerprint } from '#shared/base/ids.ts';
import type { FoundArtifacts } from '#shared/environments/search/search-sha.ts';
import type { FoundArtifact } from './search-output.ts';
import { whereItRuns } from './where-it-runs.ts';

/** Shapes an artifact that runs or ran without a report in any flow (rules/lookups.md#unreported-artifacts). */
export function unreportedArtifact(
  { fingerprint, name }: FoundArtifacts['unreported'][number],
  runs: FoundArtifacts['runs'],
  { org, host }: { org: string; host: string },
): FoundArtifact {
  return {
    fingerprint,
    name,
    flow: '',
    git_commit: '',
    has_provenance: false,
    commit_url: '',
    build_url: '',
    html_url: snapshotUrl(fingerprint, runs, { host, org }),
    // INCOMPLETE and not NON-COMPLIANT: all evidence is missing, but no check failed.
    compliance_state: 'INCOMPLETE',
    ...whereItRuns(fingerprint, runs, []),
  };
}

/**
 * The page of the snapshot in which the artifact last started or stopped; empty if all its environments are archived.
 */
function snapshotUrl(
  fingerprint: Fingerprint,
  { byFingerprint, environments }: FoundArtifacts['runs'],
  { host, org }: { host: string; org: string },
): string {
  const [last] = (byFingerprint.get(fingerprint) ?? []).toSorted((one, other) => other.at - one.at);
  if (!last) return '';
  return absolute(
    host,
    `/${org}/environments/${environments.get(last.environment)?.name ?? ''}/snapshots/${last.index}`,
  );
}
