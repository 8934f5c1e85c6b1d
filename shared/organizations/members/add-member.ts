import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Role } from '#shared/callers/roles.ts';
import { OPERATOR } from '../records/audit.ts';
import { Directory } from '../records/directory.ts';
import { readMember, setMember } from '../records/members.ts';

/** The role that the user had before, or why there is no change. */
type AddedMember = { before: Role | undefined } | 'last admin' | 'unknown organization' | 'unknown user';

/**
 * Makes a user a member for the operator, without an invitation, or changes a member's role. The last admin of an
 * organization stays its admin.
 */
export async function addMember(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  { organization, user: name, role }: { organization: string; user: string; role: Role },
): Promise<AddedMember> {
  const directory = new Directory(table);
  const [org, user] = await Promise.all([directory.organization(organization), directory.user(name)]);
  if (!org) return 'unknown organization';
  if (!user) return 'unknown user';
  return retrying(async () => {
    const before = await readMember(table, org.id, user.id);
    const known = { before: before?.role };
    if (before?.role === role) return known;
    const stamp = { at: clock.now(), actor: OPERATOR };
    const outcome = await setMember({ table, org: org.id, user, before, stamp }, role);
    return outcome === 'done' ? known : outcome;
  });
}
