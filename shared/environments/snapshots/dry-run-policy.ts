import type { Organization } from '#shared/callers/caller.ts';
import type { Reading } from '#shared/evidence/flow-verdicts.ts';
import { findPolicy } from '#shared/policies/records/policies.ts';
import { refuseUnknownControls } from '#shared/policies/refuse-unknown-controls.ts';
import type { PolicyContent } from '#shared/policies/rules/policy.ts';
import { presentEnvironment } from '../present-environment.ts';
import type { EnvironmentHead } from '../records/environment-records.ts';
import { type TriedArtifact, tryPolicy } from './try-policy.ts';

/** A policy to try on an environment. */
interface PolicyTrial {
  /** Name of the policy. Its attached version, if any, is left out. */
  name: string;
  environment: string;
  content: PolicyContent;
  /** The controls that the text names: identifier → the first place that names it. */
  controls: ReadonlyMap<string, string>;
}

/**
 * Evaluates what runs in an environment under a policy that is not stored (rules/policies.md#dry-run-of-a-policy).
 *
 * @param field the field of the request that the error about too many reads names
 * @returns the running artifacts: new failures first, then other failures, then new successes
 * @throws ServiceError `not-found` if there is no such environment or it is archived, `invalid` if the policy names a control
 *   that does not exist or the evidence takes too many reads
 */
export async function dryRunPolicy(
  reading: Reading,
  org: Organization,
  { name, environment, content, controls }: PolicyTrial,
  field: string,
): Promise<{ head: EnvironmentHead; artifacts: TriedArtifact[] }> {
  const { table } = reading;
  const [head, stored] = await Promise.all([
    presentEnvironment(table, org, environment),
    findPolicy(table, org.id, name),
    refuseUnknownControls(table, org, controls),
  ]);
  const draft = { name, version: (stored?.version ?? 0) + 1, content };
  const artifacts = await tryPolicy(reading, org, head, draft, field);
  return { head, artifacts: artifacts.toSorted((one, other) => urgency(one) - urgency(other)) };
}

function urgency({ current, tried }: TriedArtifact): number {
  if (!tried) return current === false ? 1 : 0;
  return current === true ? 3 : 2;
}
