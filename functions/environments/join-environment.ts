import * as z from 'zod';
import { retrying } from '#shared/base/retry.ts';
import { invalidField } from '#shared/base/validation.ts';
import { presentEnvironment } from '#shared/environments/present-environment.ts';
import { joinEnvironment as join } from '#shared/environments/records/environment-writes.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { claimAlone, ok, written } from '#shared/http/written.ts';
import { auditing } from '#shared/organizations/records/audit.ts';
import { claimWrites } from '#shared/table/idempotency.ts';
import { logicalMember, ONLY_LOGICAL } from './settings.ts';

const Join = z.object({ physical_env_name: z.string() }).meta({ id: 'EnvironmentJoin' });

/** PUT /environments/{org}/{env_name}/join: adds a member to a logical environment (rules/environments.md#join). */
export const joinEnvironment = endpoint({
  operation: 'joinEnvironment',
  method: 'PUT',
  path: '/environments/{org}/{env_name}/join',
  summary: 'Add a physical environment to a logical one',
  description: 'Nothing changes if the physical environment is a member already.',
  access: 'member',
  params: z.object({ org: z.string(), env_name: z.string() }),
  query: z.object({}),
  body: { kind: 'json', schema: Join },
  success: { 200: z.literal('OK') },
  errors: [unknownEnvironment, archivedEnvironment],
  uses: { writes: ['ENV', 'CATALOGUE', 'AUDIT'] },
  handler: async (request, { table, clock }) => {
    const { params, body, org, idempotency } = request;
    const { env_name: name } = params;
    const { physical_env_name: member } = body;
    const answer = ok(200);
    const outcome = await retrying(async () => {
      const [logical, physical] = await Promise.all([
        presentEnvironment(table, org, name),
        presentEnvironment(table, org, member),
      ]);
      if (logical.kind !== 'logical') {
        throw invalidField('env_name', ONLY_LOGICAL, name);
      }
      if (physical.kind === 'logical') throw invalidField('physical_env_name', logicalMember(member), member);
      const now = clock.now();
      const claim = claimWrites(idempotency, answer, now);
      if (logical.members.includes(physical.id)) return claimAlone(table, claim);
      const audited = {
        kind: 'environment.joined',
        subject: { type: 'environment', id: logical.id, name: logical.name },
        after: { member: physical.id, name: physical.name },
      } as const;
      return join(table, org.id, logical, physical.id, now, auditing(request, audited, claim));
    });
    return written(answer, outcome);
  },
});
