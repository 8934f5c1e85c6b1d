import * as z from 'zod';
import { retrying } from '#shared/base/retry.ts';
import { Role } from '#shared/callers/roles.ts';
import { OPERATOR } from '#shared/organizations/records/audit.ts';
import { readMember, setMember } from '#shared/organizations/records/members.ts';
import { command, done, refused } from './command.ts';

/** Adds a user to an organization, or changes a member's role. Refuses to demote the last admin. */
export const addMember = command({
  name: 'add-member',
  schema: z.strictObject({ organization: z.string(), user: z.string(), role: Role }),
  run: async ({ organization, user, role }, { directory, table, clock }) => {
    const [org, member] = await Promise.all([directory.organization(organization), directory.user(user)]);
    if (!org) return refused(`There is no organization '${organization}'`);
    if (!member) return refused(`There is no user '${user}'`);
    const { before, outcome } = await retrying(async () => {
      const before = await readMember(table, org.id, member.id);
      if (before?.role === role) return { before, outcome: 'done' as const };
      const stamp = { at: clock.now(), actor: OPERATOR };
      const outcome = await setMember({ table, org: org.id, user: member, before, stamp }, role);
      return outcome === 'again' ? outcome : { before, outcome };
    });
    if (outcome === 'last admin') return refused(`The user '${user}' is the last admin of '${organization}'`);
    return done(`The user '${user}' is ${role} of '${organization}'`, { role, before: before?.role ?? null });
  },
});
