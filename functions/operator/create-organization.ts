import * as z from 'zod';
import { Feature } from '#shared/callers/roles.ts';
import { createOrganization as create, NewOrganizationName } from '#shared/organizations/create-organization.ts';
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
  run: async ({ name, personal, features }, services) => {
    const kind = personal ? 'personal' : 'shared';
    const created = await create(services, { name, kind, features });
    if (created === 'no user') {
      return refused(`A personal organization is named like its user, and there is no user '${name}'`);
    }
    const { record, isNew } = created;
    if (record.kind !== kind) return refused(`The organization '${name}' exists and is ${record.kind}`);
    const facts = { id: record.id, name, kind, features: record.features, created: isNew };
    return done(isNew ? `Created the organization '${name}'` : `The organization '${name}' exists already`, facts);
  },
});
