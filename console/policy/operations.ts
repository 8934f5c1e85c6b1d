import type { putPolicy as put } from '#functions/policies/put-policy.ts';
import type { getPolicy, listPolicies } from '#functions/policies/read-policies.ts';
import { type AnswerOf, operation } from '../client/operations.ts';

/** Operations on environment policies. */
export const policies = operation<typeof listPolicies>()('GET', '/policies/{org}', 'reader');
export const policy = operation<typeof getPolicy>()('GET', '/policies/{org}/{policy}', 'reader');
export const putPolicy = operation<typeof put>()('PUT', '/policies/{org}', 'member');

export type Policy = AnswerOf<typeof getPolicy>;
