import type { PolicyName } from '#shared/base/names.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { responseTooLarge } from '#shared/base/sentences.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { type Policy, readPolicies, readPolicyByName, readTexts, type UnreadablePolicy } from './records/policies.ts';
import { unknownPolicy } from './rules/sentences.ts';

/** A policy with the text of each version, in the order of the versions. An erased text is empty. */
export interface PolicyWithTexts extends Policy {
  texts: readonly string[];
}

/** The most bytes of policy texts that are read at once. Compressed, they may still fit into an answer. */
const MOST_TEXT = 32 * 1024 * 1024;
const POLICIES_AT_ONCE = 8;

/**
 * Reads a policy with all its versions (rules/policies.md#policy-record).
 *
 * @throws ServiceError `not-found`; `answer-too-large` if its texts are larger than an answer can be
 */
export async function getPolicy(stores: Pick<Stores, 'table' | 'objects'>, org: Organization, name: PolicyName) {
  const policy = await readPolicyByName(stores.table, org.id, name);
  if (!policy) throw unknownPolicy({ policy: name, org: org.name });
  refuseLongTexts([policy]);
  return withTexts(stores, org, policy);
}

/**
 * Reads all policies with all their versions (rules/policies.md#policy-record). A policy that cannot be read has only its
 * name.
 *
 * @returns the policies in no order
 * @throws ServiceError `answer-too-large` if the texts are larger than an answer can be
 */
export async function listPolicies(
  stores: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
): Promise<(PolicyWithTexts | UnreadablePolicy)[]> {
  const found = await readPolicies(stores.table, org.id);
  refuseLongTexts(found.flatMap((policy) => ('unreadable' in policy ? [] : [policy])));
  const read: (PolicyWithTexts | UnreadablePolicy)[] = [];
  await inParallel(found, POLICIES_AT_ONCE, async (policy) => {
    if ('unreadable' in policy) return void read.push(policy);
    const texts = withTexts(stores, org, policy);
    read.push(await texts.catch((unreadable: unknown) => ({ name: policy.head.name, unreadable })));
  });
  return read;
}

const withTexts = async ({ objects }: Pick<Stores, 'objects'>, org: Organization, policy: Policy) => ({
  ...policy,
  texts: await readTexts(objects, org.id, policy),
});

function refuseLongTexts(policies: readonly Policy[]): void {
  const sizes = policies.flatMap(({ versions }) => versions.map(({ body }) => body.size));
  if (sizes.reduce((sum, size) => sum + size, 0) > MOST_TEXT) throw responseTooLarge();
}
