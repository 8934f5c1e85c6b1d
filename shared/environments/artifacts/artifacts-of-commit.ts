import type { FlowName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { findByCommit, readArtifacts } from '#shared/evidence/records/artifact-records.ts';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { isShaPrefix } from '#shared/evidence/sha-prefix.ts';
import { readShownArtifacts, type ShownArtifact } from './shown-artifacts.ts';

/**
 * Reads the artifacts of a commit in a flow, each by its latest report, newest first
 * (rules/artifacts.md#artifacts-of-a-commit).
 *
 * @param sha a commit or the beginning of one
 * @throws ServiceError `not-found` for an unknown flow
 */
export async function readArtifactsOfCommit(
  stores: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  { flow: name, sha, trail }: { flow: FlowName; sha: string; trail?: string | undefined },
): Promise<ShownArtifact[]> {
  const { table } = stores;
  const [flow, entries] = await Promise.all([
    findFlow(table, org.id, name),
    isShaPrefix(sha) ? findByCommit(table, org.id, sha) : [],
  ]);
  if (!flow) throw unknownFlow({ flow: name, org: org.name });
  // The entries of a commit are sorted by time, so the last entry of a fingerprint is its latest report.
  const latest = new Map(
    entries
      .filter((entry) => entry.flow === flow.id && (trail === undefined || entry.trail === trail))
      .map(({ fingerprint, artifact }) => [fingerprint, artifact]),
  );
  const records = await readArtifacts(table, org.id, [...latest.values()]);
  records.sort((a, b) => b.at - a.at);
  return readShownArtifacts(stores, org.id, records, () => flow.name);
}
