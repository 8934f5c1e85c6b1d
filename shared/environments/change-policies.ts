import type { Id, PolicyId } from '#shared/base/ids.ts';
import type { EnvironmentName, PolicyName } from '#shared/base/names.ts';
import { again, retrying } from '#shared/base/retry.ts';
import { EPOCH } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { type AuditedChange, authored } from '#shared/organizations/records/audit.ts';
import { policyEnvironmentKey } from '#shared/policies/records/keys.ts';
import { findPolicies } from '#shared/policies/records/policies.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';
import { type Appended, storeClaim } from '#shared/table/idempotency.ts';
import type { Write } from '#shared/table/table.ts';
import { type Uses, usesTogether } from '#shared/table/uses.ts';
import { refuseTooMany } from './attached-policies.ts';
import { presentEnvironment } from './present-environment.ts';
import { settingsCover } from './records/environment-covers.ts';
import { entryUpdate, type HeadChanges, headWrites } from './records/environment-head.ts';
import type { EnvironmentHead } from './records/environment-records.ts';
import { attachmentWrite } from './records/environment-writes.ts';
import { readNewestContent } from './records/snapshots.ts';
import { reevaluate } from './reevaluate.ts';
import { sameIds } from './rules/members.ts';
import { sealSnapshot } from './seal-snapshot.ts';

export const CHANGE_POLICIES: Uses = {
  writes: ['ENV', 'SNAPSHOT', 'POLICY', 'CATALOGUE', 'BODY'],
  removes: ['POLICY'],
  bucket: ['bodies:read', 'bodies:write'],
};

interface PolicyChange {
  audited: AuditedChange;
  /** Other settings of the head that change in the same transaction. */
  settings?: Omit<NonNullable<HeadChanges['settings']>, 'policies'> | undefined;
  extra?: readonly Write<'again'>[];
  /** Name of the request's field that holds the policies, for the error about too many of them. */
  field?: string;
}

/**
 * Replaces the policies of an environment (rules/environments.md#attached-policies). The policies evaluate what runs at
 * once, and a snapshot is stored even if no verdict changes. The snapshot of a logical environment is appended by the relay.
 * @param policies other ids than those of the head, ascending
 * @returns the stored snapshot, null if none was stored; `again` if another writer was first
 * @throws ServiceError `invalid` for more policies than an environment may have, and if their evidence takes too many reads
 */
export async function changePolicies(
  stores: Stores,
  by: Author<Appended | null>,
  head: EnvironmentHead,
  policies: readonly PolicyId[],
  { audited, settings, extra = [], field = 'policies' }: PolicyChange,
): Promise<Appended | null | 'again'> {
  const { org } = by;
  refuseTooMany(policies, field);
  const links: Write<'again'>[] = [
    ...without(policies, head.policies).map((id) => attachmentWrite(org.id, id, head)),
    ...without(head.policies, policies).map((id) => ({ remove: policyEnvironmentKey(org.id, id, head.id) })),
  ];
  const changed = { ...settings, policies: [...policies] };
  const sealed = await sealUnderPolicies(stores, org, head, changed, field);
  await sealed?.upload();
  const appended = sealed?.appended ?? null;
  const done = await stores.table.transact<'again'>([
    ...authored(by, audited, appended),
    ...(sealed?.writes ?? settingsWrites(stores, org, head, changed)),
    ...links,
    ...extra,
  ]);
  return done === 'again' ? done : appended;
}

const without = <Kind extends Id>(ids: readonly Kind[], others: readonly Kind[]): Kind[] =>
  ids.filter((id) => !others.includes(id));

/** Prepares the snapshot under the new policies; null for a logical environment, and if no content can be evaluated. */
async function sealUnderPolicies(
  stores: Stores,
  org: Organization,
  head: EnvironmentHead,
  settings: NonNullable<HeadChanges['settings']> & { policies: PolicyId[] },
  field: string,
) {
  if (head.kind === 'logical') return null;
  const content = await readNewestContent(stores, org, head);
  if (!content) return null;
  const draft = await reevaluate(stores, org, head, content, { policies: settings.policies, field });
  const entry = { m: stores.clock.now() };
  return sealSnapshot(stores, org, head, draft, again, { settings, entry });
}

/** The change without a snapshot. `evaluatedAt: EPOCH` makes the next report evaluate, whatever the marks are. */
const settingsWrites = (
  { clock }: Pick<Stores, 'clock'>,
  org: Organization,
  head: EnvironmentHead,
  settings: NonNullable<HeadChanges['settings']>,
): Write<'again'>[] => [
  ...headWrites(org.id, head, { settings, snapshot: { evaluatedAt: EPOCH } }, again),
  entryUpdate(org.id, head.id, { m: clock.now() }, again),
];

export const CHANGE_NAMED_POLICIES = usesTogether([CHANGE_POLICIES, { writes: ['AUDIT'] }]);

/**
 * Attaches policies to an environment, or detaches them (rules/environments.md#attached-policies). Nothing changes if they
 * are attached or detached already.
 *
 * @param environment present name or alias
 * @param names names of the policies
 * @returns the snapshot that the change stored; null if it stored none
 * @throws ServiceError `not-found` if the environment or one of the policies does not exist, `invalid` for more policies
 *   than an environment may have
 */
export async function changeNamedPolicies(
  stores: Stores,
  by: Author<Appended | null>,
  change: 'attach' | 'detach',
  environment: EnvironmentName,
  names: readonly PolicyName[],
): Promise<Appended | null> {
  const { table } = stores;
  const { org } = by;
  return retrying(async () => {
    const [head, found] = await Promise.all([
      presentEnvironment(table, org, environment),
      findPolicies(table, org.id, names),
    ]);
    const named = names.map((policy) => {
      const known = found.get(policy);
      if (!known) throw unknownPolicy({ policy, org: org.name });
      return known.id;
    });
    const policies = changed[change](new Set(head.policies), new Set(named)).toSorted();
    if (sameIds(policies, head.policies)) {
      await storeClaim(table, by.claim(null));
      return null;
    }
    const audited = {
      kind: 'environment.policies_changed',
      subject: { type: 'environment', id: head.id, name: head.name },
      before: { policies: head.policies },
      after: { policies },
      covers: [settingsCover(head, { ...head, policies })],
    } as const;
    return changePolicies(stores, by, head, policies, { audited, field: 'policy_names' });
  });
}

const changed = {
  attach: (attached: Set<PolicyId>, named: Set<PolicyId>) => [...attached.union(named)],
  detach: (attached: Set<PolicyId>, named: Set<PolicyId>) => [...attached.difference(named)],
};
