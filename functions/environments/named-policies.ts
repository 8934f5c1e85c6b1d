import * as z from 'zod';
import type { PolicyId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import { CHANGE_POLICIES, changePolicies } from '#shared/environments/change-policies.ts';
import { presentEnvironment } from '#shared/environments/present-environment.ts';
import { settingsCover } from '#shared/environments/records/environment-covers.ts';
import type { Answer, Request } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import { appendingAnswer, ok } from '#shared/http/written.ts';
import { auditOf } from '#shared/organizations/records/audit.ts';
import { findPolicies } from '#shared/policies/records/policies.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';
import { usesTogether } from '#shared/table/uses.ts';
import { sameIds } from './settings.ts';

/** Body of attaching and detaching. Unknown fields are refused (rules/environments.md#attached-policies). */
export const PolicyNames = z
  .strictObject({ policy_names: z.array(z.string()).max(1000) })
  .meta({ id: 'PolicyNames', description: 'Names of policies.' });

type Asked = Pick<
  Request<{ env_name: string }, Record<string, never>, z.output<typeof PolicyNames>>,
  'params' | 'body' | 'org' | 'caller' | 'receivedAt' | 'idempotency'
>;

export const CHANGE_NAMED_POLICIES = usesTogether([CHANGE_POLICIES, { writes: ['AUDIT'] }]);

/**
 * Changes the attached policies of an environment by the policies that a request names.
 * @param change returns the ids to attach, given the attached ids and the named ids
 * @throws ServiceError 404 if the environment or one of the policies does not exist
 */
export async function changeNamedPolicies(
  request: Asked,
  services: Services,
  change: (attached: readonly PolicyId[], named: readonly PolicyId[]) => PolicyId[],
): Promise<Answer<'OK'>> {
  const { params, body, org, idempotency } = request;
  const { table, clock } = services;
  const { claim, written } = appendingAnswer(ok(200), idempotency, () => clock.now());
  const names = body.policy_names;
  const outcome = await retrying(async () => {
    const [head, found] = await Promise.all([
      presentEnvironment(table, org, params.env_name),
      findPolicies(table, org.id, names),
    ]);
    const named = names.map((policy) => {
      const known = found.get(policy);
      if (!known) throw unknownPolicy({ policy, org: org.name });
      return known.id;
    });
    const policies = [...new Set(change(head.policies, named))].sort();
    const audit = auditOf(request, {
      kind: 'environment.policies_changed',
      subject: { type: 'environment', id: head.id, name: head.name },
      before: { policies: head.policies },
      after: { policies },
      covers: [settingsCover(head, { ...head, policies })],
    });
    const extra = sameIds(policies, head.policies) ? [] : [audit];
    return changePolicies(services, org, head, policies, { extra, claim, field: 'policy_names' });
  });
  return written(outcome);
}
