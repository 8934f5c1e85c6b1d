import * as z from 'zod';
import { inParallel } from '#shared/base/parallel.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { noteUnreadable } from '#shared/http/unreadable.ts';
import { type Policy, readPolicies } from '#shared/policies/records/policies.ts';
import { assertReadable, PolicyOut, policyOut, unreadablePolicy } from './policy-output.ts';

const POLICIES_AT_ONCE = 8;

/** Answers a bare array of all policies with all their versions, by name (`rules/policies.md#policy-record`). */
export const listPolicies = endpoint({
  operation: 'listPolicies',
  method: 'GET',
  path: '/policies/{org}',
  summary: 'List the environment policies of an organization',
  access: 'reader',
  params: z.object({ org: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.array(PolicyOut) },
  errors: [],
  uses: READ_BODIES,
  handler: async (request, { table, objects }) => {
    const { org } = request;
    const shown: PolicyOut[] = [];
    const showUnreadable = (name: string, unreadable: unknown) => {
      noteUnreadable('policies', request, `policy ${name}`, unreadable);
      shown.push(unreadablePolicy(request, name));
    };
    const policies: Policy[] = [];
    for (const policy of await readPolicies(table, org.id)) {
      if ('unreadable' in policy) showUnreadable(policy.name, policy.unreadable);
      else policies.push(policy);
    }
    assertReadable(policies);
    await inParallel(policies, POLICIES_AT_ONCE, async (policy) => {
      try {
        shown.push(await policyOut(objects, request, policy));
      } catch (error) {
        showUnreadable(policy.head.name, error);
      }
    });
    return { status: 200, body: shown.toSorted((one, other) => (one.name < other.name ? -1 : 1)) };
  },
});
