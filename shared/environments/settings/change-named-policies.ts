import type { PolicyId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { findPolicies } from '#shared/policies/records/policies.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';
import { type Appended, storeClaim } from '#shared/table/idempotency.ts';
import { usesTogether } from '#shared/table/uses.ts';
import { CHANGE_POLICIES, changePolicies } from '../change-policies.ts';
import { presentEnvironment } from '../present-environment.ts';
import { settingsCover } from '../records/environment-covers.ts';
import { sameIds } from '../rules/members.ts';

/** What attaching and detaching policies reads and writes. */
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
  environment: string,
  names: readonly string[],
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
