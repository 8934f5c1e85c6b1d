import { absolute } from '#shared/base/addresses.ts';
import { erasedOut } from '#shared/bodies/erasure.ts';
import type { FoundArtifacts, FoundReport } from '#shared/environments/search/search-sha.ts';
import type { FoundArtifact } from './search-output.ts';
import { unreportedArtifact } from './unreported-artifacts.ts';
import { whereItRuns } from './where-it-runs.ts';

interface Place {
  org: string;
  host: string;
}

/** Shapes the artifacts of a search: the reported ones, and then the unreported ones (rules/lookups.md#found-artifacts). */
export const foundArtifactsOut = ({ reported, unreported, runs }: FoundArtifacts, at: Place): FoundArtifact[] => [
  ...reported.map((one) => reportedArtifact(one, runs, at)),
  ...unreported.map((one) => unreportedArtifact(one, runs, at)),
];

function reportedArtifact(
  { record, facts, verdict, flow }: FoundReport,
  runs: FoundArtifacts['runs'],
  { org, host }: Place,
): FoundArtifact {
  const { id, fingerprint, commit, at } = record;
  return {
    fingerprint,
    name: facts.filename || record.name,
    flow,
    git_commit: commit,
    has_provenance: true,
    commit_url: facts.commit_url,
    build_url: facts.build_url,
    html_url: `${absolute(host, `/${org}/flows/${flow}/artifacts/${fingerprint}`)}?artifact_id=${id}`,
    compliance_state: verdict.status,
    ...whereItRuns(fingerprint, runs, [{ event: `${record.name} reported`, at }]),
    ...erasedOut(record.facts.erased),
  };
}
