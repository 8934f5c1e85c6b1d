import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Credential } from '#shared/callers/caller.ts';
import type { Table } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { type Offer, readOffers } from './members/offers.ts';
import { Directory } from './records/directory.ts';
import {
  completeList,
  listedOrganizations,
  MOST_ORGANIZATIONS,
  type OrganizationOfUser,
  readOrganizations,
} from './records/organizations-of-user.ts';

export type { Offer, OrganizationOfUser };
export { MOST_ORGANIZATIONS };

/** What reading a caller writes: the list of a user of an earlier release is completed. */
export const READ_CALLER: Uses = { writes: ['@USER', '@MEMBEROF'], batches: ['@MEMBEROF'] };

/** The organizations of a caller. */
interface Organizations {
  /** By name, at most {@link MOST_ORGANIZATIONS}. */
  organizations: OrganizationOfUser[];
  hasMore: boolean;
  /** The default organization. */
  chosen?: OrganizationOfUser | undefined;
}

/**
 * Reads the organizations of a caller with their roles, and what the caller may join (rules/organizations.md#who-am-i). A
 * service account has one organization, no default and no offers.
 */
export async function readCaller(
  { table }: Pick<Stores, 'table'>,
  credential: Credential,
  now: Micros,
): Promise<Organizations & { offers: Offer[] }> {
  const { principal, claims } = credential;
  const [organizations, offers] = await Promise.all([
    organizationsOf(table, credential),
    principal.kind === 'user' ? readOffers(table, principal, { claims, now }) : [],
  ]);
  return { ...organizations, offers };
}

async function organizationsOf(table: Table, { principal, claims }: Credential): Promise<Organizations> {
  const { id, name, org } = principal;
  if (org !== undefined) return { organizations: await readOrganizations(table, id, [org], claims), hasMore: false };
  const [user, listed] = await Promise.all([new Directory(table).user(name), listedOrganizations(table, id)]);
  const isComplete = user === undefined || user.organizationsListed === 'all';
  if (!isComplete) await completeList(table, user);
  const ids = isComplete ? listed : await listedOrganizations(table, id);
  const shown = ids.slice(0, MOST_ORGANIZATIONS);
  const chosenId = user?.defaultOrganization?.id;
  const read = await readOrganizations(table, id, [...new Set([...shown, ...(chosenId ? [chosenId] : [])])], claims);
  return {
    organizations: read.filter((organization) => shown.includes(organization.id)),
    hasMore: ids.length > shown.length,
    chosen: read.find((organization) => organization.id === chosenId),
  };
}
