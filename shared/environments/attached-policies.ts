import { invalid } from '#shared/base/errors.ts';
import type { PolicyId } from '#shared/base/ids.ts';
import { withInput } from '#shared/base/validation.ts';
import type { Organization } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import { readPolicyContent, readPolicyHeads } from '#shared/policies/records/policies.ts';
import type { PolicyVersion } from '#shared/policies/rules/evaluate.ts';
import { policyDump } from '#shared/policies/rules/forms.ts';
import type { AppliedPolicy } from './rules/content.ts';

/**
 * The most policies of one environment: every artifact of every changed report is judged by each of them, and their
 * items change in the transaction that makes the snapshot.
 */
export const MOST_POLICIES = 20;

/** @throws ApiError 400 where an environment would have more policies than it may */
export function refuseTooMany(policies: readonly PolicyId[], field: string): void {
  if (policies.length <= MOST_POLICIES) return;
  const text = `An environment can have at most ${MOST_POLICIES} policies`;
  throw invalid({ [field]: withInput(text, policies.length) });
}

/** A policy with the version in force, which is the newest (semantics §6.2). */
export interface AttachedPolicy extends PolicyVersion {
  id: PolicyId;
}

/**
 * Policies as they are in force, in the order asked: their heads in one read, then the contents that are not remembered.
 * @throws Error where there is no such policy: policies cannot be deleted
 */
export async function readAttachedPolicies(
  { table, objects }: Pick<Services, 'table' | 'objects'>,
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

/** What a snapshot says of the policies that it was made under. */
export const appliedPolicies = (policies: readonly AttachedPolicy[]): AppliedPolicy[] =>
  policies.map(({ id, name, version, content }) => ({ id, name, version, dump: policyDump(content) }));
