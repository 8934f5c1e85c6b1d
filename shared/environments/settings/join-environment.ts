import type { EnvironmentName } from '#shared/base/names.ts';
import { retrying } from '#shared/base/retry.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { authored } from '#shared/organizations/records/audit.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';
import { presentEnvironment } from '../present-environment.ts';
import { joinEnvironment as join } from '../records/environment-writes.ts';
import { logicalMember, ONLY_LOGICAL } from '../rules/members.ts';

export const JOIN_ENVIRONMENT: Uses = { writes: ['ENV', 'CATALOGUE', 'AUDIT'] };

/**
 * Adds a physical environment to a logical one (rules/environments.md#join). Nothing changes if it is a member already.
 *
 * @param names present names or aliases of both
 * @throws ServiceError `not-found` if one of them does not exist or is archived, `invalid` if one is of the wrong type
 */
export async function joinEnvironment(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: Author<void>,
  names: { logical: EnvironmentName; physical: EnvironmentName },
) {
  const { org } = by;
  await retrying(async () => {
    const [logical, physical] = await Promise.all([
      presentEnvironment(table, org, names.logical),
      presentEnvironment(table, org, names.physical),
    ]);
    if (logical.kind !== 'logical') throw invalidField('env_name', ONLY_LOGICAL, names.logical);
    if (physical.kind === 'logical') {
      throw invalidField('physical_env_name', logicalMember(names.physical), names.physical);
    }
    if (logical.members.includes(physical.id)) return storeClaim(table, by.claim());
    return join(table, org.id, logical, physical.id, clock.now(), (covers) =>
      authored(by, {
        kind: 'environment.joined',
        subject: { type: 'environment', id: logical.id, name: logical.name },
        after: { member: physical.id, name: physical.name },
        covers,
      }),
    );
  });
}
