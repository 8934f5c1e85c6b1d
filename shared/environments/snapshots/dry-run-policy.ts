import type { EnvironmentName, PolicyName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { Owner, Reading } from '#shared/evidence/flow-verdicts.ts';
import { findPolicy } from '#shared/policies/records/policies.ts';
import { refuseUnknownControls } from '#shared/policies/refuse-unknown-controls.ts';
import type { PolicyVersion } from '#shared/policies/rules/evaluate.ts';
import type { PolicyContent } from '#shared/policies/rules/policy.ts';
import { artifactVerdict } from '#shared/policies/rules/verdicts.ts';
import { readAttachedPolicies } from '../attached-policies.ts';
import { evaluateArtifacts, evaluationLimits } from '../evaluate.ts';
import { runningRows } from '../next-content.ts';
import { presentEnvironment } from '../present-environment.ts';
import { readAllowed } from '../records/allowed.ts';
import type { EnvironmentHead } from '../records/environment-records.ts';
import { readEnvironmentHeads } from '../records/environments.ts';
import { readContents } from '../records/snapshots.ts';
import type { SnapshotRow } from '../rules/content.ts';

interface PolicyTrial {
  /** Name of the policy. Its attached version, if any, is left out. */
  name: PolicyName;
  environment: EnvironmentName;
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
  reading: Reading & Pick<Stores, 'clock'>,
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

type TriedArtifact = Awaited<ReturnType<typeof tryPolicy>>[number];

/** Evaluates what runs under the attached policies and under the tried one, which replaces its attached version. */
async function tryPolicy(
  reading: Reading & Pick<Stores, 'clock'>,
  org: Organization,
  head: EnvironmentHead,
  tried: PolicyVersion,
  field: string,
) {
  const [rows, attached] = await Promise.all([
    readRunning(reading, org, head),
    readAttachedPolicies(reading, org, head.policies),
  ]);
  const allowed = readAllowed(reading.table, org.id, head, new Set(rows.map(({ fingerprint }) => fingerprint)));
  const at = reading.clock.now();
  const evaluated = await evaluateArtifacts(
    reading,
    org,
    rows,
    [...attached, tried],
    allowed,
    at,
    evaluationLimits(field),
  );
  const kept = attached.map(({ name }) => name !== tried.name);
  return evaluated.flatMap(({ name, fingerprint, flows, evaluations, allowed: isAllowed }) => {
    const result = evaluations.at(-1);
    if (!result) return [];
    const others = evaluations.slice(0, -1);
    const withTried = [...others.filter((_, n) => kept[n]), result];
    return [
      {
        name,
        fingerprint,
        /** The verdict of the attached policies; null = unknown. */
        current: artifactVerdict(others, isAllowed, attached.length > 0),
        tried: artifactVerdict(withTried, isAllowed, true) === true,
        flows,
        /** Of the tried policy alone. */
        result,
      },
    ];
  });
}

/** Reads what runs by the newest snapshot; in a logical environment, by the newest snapshots of its members. */
async function readRunning({ table, objects }: Reading, org: Owner, head: EnvironmentHead): Promise<SnapshotRow[]> {
  const heads =
    head.kind === 'logical' ? [...(await readEnvironmentHeads(table, org.id, head.members)).values()] : [head];
  const places = heads.filter(({ index }) => index > 0).map(({ id, index }) => ({ environment: id, index }));
  const contents = await readContents(table, objects, org.id, places);
  return contents.flatMap((content) => (content ? runningRows(content) : []));
}
