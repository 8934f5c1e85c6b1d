import type { PolicyId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { Reading } from '#shared/evidence/flow-verdicts.ts';
import { type AttachedPolicy, readAttachedPolicies } from './attached-policies.ts';
import { evaluateArtifacts, evaluationLimits } from './evaluate.ts';
import { nextSnapshot, runningRows } from './next-content.ts';
import { readAllowed } from './records/allowed.ts';
import type { EnvironmentHead } from './records/environment-records.ts';
import type { SnapshotContent } from './rules/content.ts';

/**
 * Drafts a snapshot in which the same artifacts run, evaluated under other policies or with another fingerprint on the
 * allow-list (rules/environments.md#new-snapshot).
 * @param content content of the newest snapshot
 * @param changes `field`: the field of the request that the error about too many reads names
 * @throws ServiceError `invalid` if the evidence takes too many reads (rules/environments.md#large-reports)
 */
export async function reevaluate(
  reading: Reading & Pick<Stores, 'clock'>,
  org: Organization,
  head: EnvironmentHead,
  content: SnapshotContent,
  {
    policies = head.policies,
    allowed = [],
    field,
  }: { policies?: readonly PolicyId[]; allowed?: readonly string[]; field: string },
): Promise<ReturnType<typeof nextSnapshot>> {
  const running = runningRows(content);
  const attached: Promise<AttachedPolicy[]> = readAttachedPolicies(reading, org, policies);
  const listed = readAllowed(reading.table, org.id, head, new Set(running.map(({ fingerprint }) => fingerprint)));
  const [evaluated, known] = await Promise.all([
    evaluateArtifacts(
      reading,
      org,
      running,
      attached,
      listed.then((fingerprints) => fingerprints.union(new Set(allowed))),
      reading.clock.now(),
      evaluationLimits(field),
    ),
    attached,
  ]);
  return nextSnapshot(content, evaluated, known);
}
