import * as z from 'zod';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { Feature } from '#shared/callers/roles.ts';
import { auditWrite, OPERATOR } from '#shared/organizations/records/audit.ts';
import { NewOrganizationName, type OrganizationRecord } from '#shared/organizations/records/directory-records.ts';
import { giveRole } from '#shared/organizations/records/members.ts';
import { command, done, refused } from './command.ts';

/**
 * Creates an organization. If it exists already, changes nothing. A personal organization has the name of its user, who
 * becomes its admin (rules/organizations.md#personal-and-shared).
 */
export const createOrganization = command({
  name: 'create-organization',
  schema: z.strictObject({
    name: NewOrganizationName,
    personal: z.boolean().default(false),
    features: z.array(Feature).default([]),
  }),
  run: async ({ name, personal, features }, { directory, table, clock }) => {
    const owner = personal ? await directory.user(name) : undefined;
    if (personal && !owner) {
      return refused(`A personal organization is named like its user, and there is no user '${name}'`);
    }
    const now = clock.now();
    const kind: OrganizationRecord['kind'] = personal ? 'personal' : 'shared';
    const organization = {
      id: newId<OrganizationId>(now),
      name,
      kind,
      features: features.toSorted(),
      createdAt: now,
    };
    const audited = auditWrite(
      organization.id,
      { at: now, actor: OPERATOR },
      {
        kind: 'organization.created',
        subject: { type: 'organization', id: organization.id, name },
        after: { kind, features: organization.features },
      },
    );
    const { record, created } = await directory.createOrganization(organization, [audited]);
    if (record.kind !== kind) return refused(`The organization '${name}' exists and is ${record.kind}`);
    if (owner) await giveRole(table, record.id, owner, 'admin', { at: now, actor: OPERATOR });
    const facts = { id: record.id, name, kind, features: record.features, created };
    return done(created ? `Created the organization '${name}'` : `The organization '${name}' exists already`, facts);
  },
});
