import * as z from 'zod';
import { Role } from '#shared/callers/roles.ts';
import { addMember as add } from '#shared/organizations/members/change-members.ts';
import { command, done, refused } from './command.ts';

/** Adds a user to an organization, or changes a member's role. Refuses to demote the last admin. */
export const addMember = command({
  name: 'add-member',
  schema: z.strictObject({ organization: z.string(), user: z.string(), role: Role }),
  run: async (given, services) => {
    const { organization, user, role } = given;
    const added = await add(services, given);
    if (added === 'unknown organization') return refused(`There is no organization '${organization}'`);
    if (added === 'unknown user') return refused(`There is no user '${user}'`);
    if (added === 'last admin') return refused(`The user '${user}' is the last admin of '${organization}'`);
    return done(`The user '${user}' is ${role} of '${organization}'`, { role, before: added.before ?? null });
  },
});
