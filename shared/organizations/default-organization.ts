import type { Stores } from '#shared/bodies/stores.ts';
import type { OwnCall } from '#shared/callers/caller.ts';
import type { Uses } from '#shared/table/uses.ts';
import { Directory } from './records/directory.ts';
import { readOrganizations } from './records/organizations-of-user.ts';
import { ruleFor } from './rules/sign-in-rules.ts';

/** The organization that clients of a user use by default (rules/organizations.md#default-organization). */

export const SET_DEFAULT_ORGANIZATION: Uses = { writes: ['@USER'] };

type Reading = Pick<Stores, 'table'>;

/** Returns the name of the caller's default organization; undefined if none is set or the membership has ended. */
export async function getDefaultOrganization(
  { table }: Reading,
  { caller, credential }: OwnCall,
): Promise<string | undefined> {
  const user = caller.kind === 'user' ? await new Directory(table).user(caller.name) : undefined;
  const chosen = user?.defaultOrganization;
  const [org] = chosen ? await readOrganizations(table, caller.id, [chosen.id], credential.claims) : [];
  return org?.name;
}

/**
 * Sets the default organization of the caller.
 *
 * @returns whether it is set: false for a service account, an unknown organization, and one that the caller is not in
 */
export async function setDefaultOrganization(
  { table }: Reading,
  { caller, credential }: OwnCall,
  name: string,
): Promise<boolean> {
  const directory = new Directory(table);
  const org = caller.kind === 'user' ? await directory.organization(name) : undefined;
  const member = org && (await directory.member(org.id, caller.id));
  const joined = org && ruleFor(org, credential.claims) && (await directory.joined(org.id, caller.id));
  if (!org || !(member ?? joined)) return false;
  await directory.setDefaultOrganization(caller.name, org);
  return true;
}
