import { newId, type OrganizationId, type PrincipalId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Feature } from '#shared/callers/roles.ts';
import { auditWrite, OPERATOR } from './records/audit.ts';
import { Directory } from './records/directory.ts';
import { DirectoryName, NewOrganizationName, type OrganizationRecord } from './records/directory-records.ts';
import { giveRole } from './records/members.ts';

export { DirectoryName, NewOrganizationName };

/**
 * Creates an organization for the operator. If it exists already, changes nothing. A personal organization has the name of
 * its user, who becomes its admin (rules/organizations.md#personal-and-shared).
 *
 * @returns `no user` if a personal organization has the name of no user; an organization of the other kind stays as it is
 */
export async function createOrganization(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  { name, kind, features }: { name: string; kind: OrganizationRecord['kind']; features: readonly Feature[] },
): Promise<{ record: OrganizationRecord; isNew: boolean } | 'no user'> {
  const directory = new Directory(table);
  const owner = kind === 'personal' ? await directory.user(name) : undefined;
  if (kind === 'personal' && !owner) return 'no user';
  const now = clock.now();
  const stamp = { at: now, actor: OPERATOR };
  const organization = { id: newId<OrganizationId>(now), name, kind, features: features.toSorted(), createdAt: now };
  const audited = auditWrite(organization.id, stamp, {
    kind: 'organization.created',
    subject: { type: 'organization', id: organization.id, name },
    after: { kind, features: organization.features },
  });
  const { record, created: isNew } = await directory.createOrganization(organization, [audited]);
  if (owner && record.kind === kind) await giveRole(table, record.id, owner, 'admin', stamp);
  return { record, isNew };
}

/** Creates a user for the operator. If the user exists already, changes nothing. */
export async function createUser(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  name: string,
): Promise<{ id: PrincipalId; isNew: boolean }> {
  const now = clock.now();
  const { record, created } = await new Directory(table).createUser({ id: newId(now), name, createdAt: now });
  return { id: record.id, isNew: created };
}
