import { newId, type PolicyId } from '#shared/base/ids.ts';
import type { PolicyName } from '#shared/base/names.ts';
import { retrying } from '#shared/base/retry.ts';
import { changedMeanwhile } from '#shared/base/sentences.ts';
import { after, type Duration } from '#shared/base/time.ts';
import { LISTED_LIMIT, prepareBody, sha256Hex } from '#shared/bodies/bodies.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { authored } from '#shared/organizations/records/audit.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';
import { findPolicy, readNewestVersion } from './records/policies.ts';
import type { PolicyHead } from './records/policy-records.ts';
import { policyWrites, referenceWrites } from './records/policy-writes.ts';
import { refuseUnknownControls } from './refuse-unknown-controls.ts';

/** A policy to save. */
interface GivenPolicy {
  name: PolicyName;
  /** Absent or null = unchanged; empty for a new policy. */
  description: string | null | undefined;
  /** The text of the policy file, which was checked. */
  text: string;
  /** `max_silence` of the text; null = it has none. */
  maxSilence: Duration | null;
  /** Comment of the version that the text makes, if any. */
  comment: string;
  /** The controls that the text names: identifier → the first place that names it. */
  controls: ReadonlyMap<string, string>;
  /** Revision of the policy that this save is for; 0 = it is new. Another one refuses the save. Left out, any may be there. */
  revision?: number;
}

/** Whether the policy is new, and the number of its newest version now. */
export interface PolicyPut {
  isNew: boolean;
  version: number;
}

/** What saving a policy reads and writes. */
export const PUT_POLICY: Uses = {
  writes: ['POLICYNAME', 'POLICY', 'CONTROLPOLICY', 'CATALOGUE', 'BODY', 'AUDIT'],
  removes: ['CONTROLPOLICY'],
  bucket: ['bodies:write'],
};

/**
 * Creates a policy, or updates the one that has the name. A text that differs from the newest one makes a version
 * (rules/policies.md#save-a-policy). If nothing differs, nothing is written.
 *
 * @throws ServiceError `invalid` if the text names a control that does not exist; `conflict` if the policy has another revision
 */
export async function putPolicy(stores: Stores, by: Author<PolicyPut>, given: GivenPolicy): Promise<PolicyPut> {
  const { table } = stores;
  const { org } = by;
  await refuseUnknownControls(table, org, given.controls);
  return retrying(async () => {
    const head = await findPolicy(table, org.id, given.name);
    if (given.revision !== undefined && (head?.rev ?? 0) !== given.revision) {
      throw changedMeanwhile({ what: `Policy '${given.name}'` });
    }
    const digest = sha256Hex(given.text);
    const version = (head?.version ?? 0) + (digest === head?.digest ? 0 : 1);
    const outcome = { isNew: head === null, version };
    return (await save(stores, by, head, { ...given, digest }, outcome)) === 'again' ? 'again' : outcome;
  });
}

/** @param before the policy that has the name; null if there is none */
async function save(
  { table, objects, clock }: Stores,
  by: Author<PolicyPut>,
  before: PolicyHead | null,
  { name, text, digest, comment, controls, maxSilence, ...given }: GivenPolicy & { digest: string },
  outcome: PolicyPut,
): Promise<'done' | 'again'> {
  const { org, caller } = by;
  const now = clock.now();
  const id = before?.id ?? newId<PolicyId>(now);
  const description = given.description ?? before?.description ?? '';
  const hasNewText = digest !== before?.digest;
  if (!hasNewText && description === before.description) return storeClaim(table, by.claim(outcome));

  const body = hasNewText ? prepareBody(objects, org.id, text, `policy:${id}`, { limit: LISTED_LIMIT }) : undefined;
  const [newest] = await Promise.all([body && before && readNewestVersion(table, org.id, before), body?.upload()]);
  const { silence: _, ...known } = before ?? { id, name, created: now, by: caller.name, silence: undefined };
  const head: PolicyHead = {
    ...known,
    ...(maxSilence !== null && { silence: maxSilence }),
    description,
    version: outcome.version,
    digest,
    rev: (before?.rev ?? 0) + 1,
  };
  const named = [...controls.keys()];
  const stamp = { at: after(newest?.at, now), by: caller.name };
  const { covers, writes } = policyWrites(
    org.id,
    before,
    head,
    body && { body: body.body, comment, ...stamp, controls: named },
  );
  const saved = {
    kind: before ? 'policy.changed' : 'policy.created',
    subject: { type: 'policy', id, name },
    ...(before && { before: { version: before.version, description: before.description } }),
    after: { version: head.version, description },
    covers,
  } as const;
  return table.transact<'again'>([
    ...authored(by, saved, outcome),
    ...writes,
    ...(body ? [...body.writes, ...referenceWrites(org.id, id, newest?.controls ?? [], named)] : []),
  ]);
}
