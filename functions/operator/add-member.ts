import * as z from 'zod';
import { Role } from '#shared/roles.ts';
import { command, done, refused } from './command.ts';

/** Makes a user a member of an organization, or gives a member another role. */
export const addMember = command({
  name: 'add-member',
  schema: z.strictObject({ organization: z.string(), user: z.string(), role: Role }),
  run: async ({ organization, user, role }, { directory, clock }) => {
    const [org, member] = await Promise.all([directory.organization(organization), directory.user(user)]);
    if (!org) return refused(`There is no organization '${organization}'`);
    if (!member) return refused(`There is no user '${user}'`);
    const before = await directory.setMember(org.id, { kind: 'user', id: member.id, name: user }, role, clock.now());
    return done(`The user '${user}' is ${role} of '${organization}'`, { role, before: before ?? null });
  },
});
