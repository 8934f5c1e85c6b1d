import { invalid } from '#shared/base/errors.ts';
import type { PolicyId } from '#shared/base/ids.ts';
import { withInput } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readPolicyContent, readPolicyHeads } from '#shared/policies/records/policies.ts';
import type { PolicyVersion } from '#shared/policies/rules/evaluate.ts';
import { policyDump } from '#shared/policies/rules/forms.ts';
import type { AppliedPolicy } from './rules/content.ts';

/**
 * Limit of policies per environment (rules/environments.md#attached-policies). Each of them evaluates every artifact of
 * a changed report, and the transaction that attaches policies has one write per policy.
 */
const MOST_POLICIES = 20;

/** @throws ServiceError `invalid` if there are more than {@link MOST_POLICIES} policies */
export function refuseTooMany(policies: readonly PolicyId[], field: string): void {
  if (policies.length <= MOST_POLICIES) return;
  const text = `An environment can have at most ${MOST_POLICIES} policies`;
  throw invalid({ [field]: withInput(text, policies.length) });
}

/** A policy with its version in force, which is the newest one (rules/policies.md#attachment). */
export interface AttachedPolicy extends PolicyVersion {
  id: PolicyId;
}

/**
 * Reads policies with their versions in force, in the order of `ids`: all heads in one batch, then the contents that are
 * not in memory.
 * @throws Error if a policy does not exist, since policies cannot be deleted
 */
export async function readAttachedPolicies(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: Pick<Organization, 'id'>,
  ids: readonly PolicyId[],
): Promise<AttachedPolicy[]> {
  if (ids.length === 0) return [];
  const heads = await readPolicyHeads(table, org.id, ids);
  return Promise.all(
    ids.map(async (id) => {
      const head = heads.get(id);
      if (!head) throw new Error(`Policy ${id} is attached and not there`);
      const { name, version } = head;
      return { id, name, version, content: await readPolicyContent(table, objects, org.id, id, version) };
    }),
  );
}

/** The policies as a snapshot stores them. */
export const appliedPolicies = (policies: readonly AttachedPolicy[]): AppliedPolicy[] =>
  policies.map(({ id, name, version, content }) => ({ id, name, version, dump: policyDump(content) }));
