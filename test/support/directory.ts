import type { Services } from '#functions/services.ts';
import { newId, type OrganizationId, type PrincipalId } from '#shared/base/ids.ts';
import { EPOCH } from '#shared/base/time.ts';
import { hashKey } from '#shared/callers/credentials.ts';
import type { Feature, Role } from '#shared/callers/roles.ts';
import { newKeyWrites } from '#shared/organizations/records/api-keys.ts';
import { OPERATOR } from '#shared/organizations/records/audit.ts';
import { newOrganizationWrites, newUserWrite } from '#shared/organizations/records/directory.ts';
import { roleWrites } from '#shared/organizations/records/members.ts';
import type { Item, Write } from '#shared/table/table.ts';

let made = 0;

/** A name that no other test uses. */
export const uniqueName = (prefix: string): string => {
  made += 1;
  return `${prefix}-${process.pid}-${made}`;
};

/**
 * Creates an organization for one test, with one new user and key per role. The items are put without a transaction, which
 * takes the local database half as long. Nobody else knows the names, so no condition of the writes can fail.
 *
 * @param features default: all
 */
export async function organizationWith<R extends Role>(
  { table, clock }: Pick<Services, 'table' | 'clock'>,
  roles: readonly R[],
  features: readonly Feature[] = ['controls', 'evaluations'],
): Promise<{ name: string; id: OrganizationId; keys: Record<R, string> }> {
  const name = uniqueName('org');
  const keyOf = (role: R) => `key-of-${name}-${role}`;
  const createdAt = clock.now();
  const org = newId<OrganizationId>(createdAt);
  const stamp = { at: createdAt, actor: OPERATOR };
  const members = roles.flatMap((role) => {
    const user = { id: newId<PrincipalId>(createdAt), name: `${name}-${role}` };
    const key = {
      id: newId(createdAt),
      hash: hashKey(keyOf(role)),
      description: 'Of a test',
      createdAt,
      expiresAt: EPOCH,
    };
    return [
      newUserWrite({ v: 1, ...user, createdAt }),
      ...roleWrites({ org, user, before: undefined, stamp }, role),
      ...newKeyWrites({ ...key, principal: { kind: 'user', ...user } }),
    ];
  });
  const record = { v: 1, id: org, name, kind: 'shared', features: features.toSorted(), createdAt } as const;
  // What the other writes remove is not there: nobody invited users of these names.
  const puts = [...newOrganizationWrites(record), ...members].filter((write) => 'put' in write);
  await table.putMany(puts.map(itemOf));
  return { name, id: org, keys: Object.fromEntries(roles.map((role) => [role, keyOf(role)])) as Record<R, string> };
}

/** The item of a write that puts one. */
export function itemOf(write: Write<unknown>): Item {
  if (!('put' in write)) throw new Error('This write is not a put');
  return write.put;
}
