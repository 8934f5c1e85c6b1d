import { newId, type PolicyId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { authored } from '#shared/organizations/records/audit.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';
import { findPolicy, readNewestVersion } from './records/policies.ts';
import type { PolicyHead } from './records/policy-records.ts';
import { changePolicy, createPolicy, digestOf, type PolicyChange, prepareVersion } from './records/policy-writes.ts';
import { refuseUnknownControls } from './refuse-unknown-controls.ts';

/** A policy to save. */
interface GivenPolicy {
  name: string;
  /** Absent or null = unchanged; empty for a new policy. */
  description: string | null | undefined;
  /** The text of the policy file, which was checked. */
  text: string;
  /** Comment of the version that the text makes, if any. */
  comment: string;
  /** The controls that the text names: identifier → the first place that names it. */
  controls: ReadonlyMap<string, string>;
}

/** Whether the policy is new. */
export interface PolicyPut {
  isNew: boolean;
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
 * @throws ServiceError `invalid` if the text names a control that does not exist
 */
export async function putPolicy(stores: Stores, by: Author<PolicyPut>, given: GivenPolicy): Promise<PolicyPut> {
  const { table } = stores;
  const { org } = by;
  await refuseUnknownControls(table, org, given.controls);
  return retrying(async () => {
    const head = await findPolicy(table, org.id, given.name);
    const outcome = { isNew: head === null };
    const done = head ? await update(stores, by, head, given, outcome) : await create(stores, by, given, outcome);
    return done === 'again' ? done : outcome;
  });
}

const versionOf = ({ text, comment, controls }: GivenPolicy) => ({ text, comment, controls: [...controls.keys()] });

async function create(
  { table, objects, clock }: Stores,
  by: Author<PolicyPut>,
  given: GivenPolicy,
  outcome: PolicyPut,
): Promise<'done' | 'again'> {
  const { org, caller } = by;
  const at = clock.now();
  const policy = { id: newId<PolicyId>(at), name: given.name, description: given.description ?? '' };
  const version = prepareVersion(objects, org.id, policy.id, versionOf(given));
  await version.text.upload();
  const created = {
    kind: 'policy.created',
    subject: { type: 'policy', id: policy.id, name: policy.name },
    after: { version: 1, description: policy.description },
  } as const;
  return createPolicy(table, org.id, policy, version, { at, by: caller.name }, (covers) =>
    authored(by, { ...created, covers }, outcome),
  );
}

async function update(
  { table, objects, clock }: Stores,
  by: Author<PolicyPut>,
  head: PolicyHead,
  given: GivenPolicy,
  outcome: PolicyPut,
): Promise<'done' | 'again'> {
  const { org, caller } = by;
  const change: PolicyChange = { description: given.description ?? head.description };
  if (digestOf(given.text) !== head.digest) {
    const prepared = prepareVersion(objects, org.id, head.id, versionOf(given));
    const [newest] = await Promise.all([readNewestVersion(table, org.id, head), prepared.text.upload()]);
    change.version = { prepared, newest };
  } else if (change.description === head.description) return storeClaim(table, by.claim(outcome));
  const changed = {
    kind: 'policy.changed',
    subject: { type: 'policy', id: head.id, name: head.name },
    before: { version: head.version, description: head.description },
    after: { version: head.version + (change.version ? 1 : 0), description: change.description },
  } as const;
  return changePolicy(table, org.id, head, change, { at: clock.now(), by: caller.name }, (covers) =>
    authored(by, { ...changed, covers }, outcome),
  );
}
