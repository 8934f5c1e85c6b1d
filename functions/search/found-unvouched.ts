import { absolute } from '#shared/base/addresses.ts';
import type { Fingerprint } from '#shared/base/ids.ts';
import { type Runs, readRuns, type Unvouched } from '#shared/environments/records/running.ts';
import type { Organization } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import type { FoundArtifact } from './search-output.ts';
import { whereItRuns } from './where-it-runs.ts';

/** Artifacts that run or ran and that no flow has a report of, in the order given: two round trips. */
export async function foundUnvouched(
  { table }: Pick<Services, 'table'>,
  { org, host }: { org: Organization; host: string },
  unvouched: readonly Unvouched[],
): Promise<FoundArtifact[]> {
  const runs = await readRuns(
    table,
    org.id,
    unvouched.map(({ fingerprint }) => fingerprint),
  );
  return unvouched.map(({ fingerprint, name }) => ({
    ...{ fingerprint, name, flow: '', git_commit: '', has_provenance: false, commit_url: '', build_url: '' },
    html_url: snapshotUrl(fingerprint, runs, { host, org: org.name }),
    // All evidence is missing; none speaks against it.
    compliance_state: 'INCOMPLETE',
    ...whereItRuns(fingerprint, runs, []),
  }));
}

/** The page of the snapshot in which it started or stopped last; empty where nothing is said of its environments. */
function snapshotUrl(
  fingerprint: Fingerprint,
  { byFingerprint, environments }: Runs,
  { host, org }: { host: string; org: string },
): string {
  const [last] = (byFingerprint.get(fingerprint) ?? []).toSorted((one, other) => other.at - one.at);
  if (!last) return '';
  return absolute(host, `/${org}/environments/${environments.get(last.environment) ?? ''}/snapshots/${last.index}`);
}
