import { sentence } from '#shared/base/errors.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { OwnCall } from '#shared/callers/caller.ts';
import { getDefaultOrganization } from '#shared/organizations/default-organization.ts';
import { listedOrganizations, readOrganizations } from '#shared/organizations/records/organizations-of-user.ts';
import { quoteAll } from './rules/quote.ts';

const nameOne = sentence('invalid', 'Name the organization in `org`. You have: {organizations}');
/** Most organizations that the refusal lists. */
const MOST_LISTED = 10;

/**
 * Returns the name of the organization that a caller means who names none: the default one, or the only one (rules/agents.md#rights).
 * @throws ServiceError `invalid` that lists the organizations, if there are several and none is the default one
 */
export async function ownOrganization(stores: Pick<Stores, 'table'>, call: OwnCall): Promise<string> {
  const { principal, claims } = call.credential;
  const chosen = await getDefaultOrganization(stores, call);
  if (chosen !== undefined) return chosen;
  const ids = principal.org === undefined ? await listedOrganizations(stores.table, principal.id) : [principal.org];
  const some = ids.slice(0, MOST_LISTED);
  const found = await readOrganizations(stores.table, principal.id, some, claims);
  const [only, ...others] = found;
  if (only && others.length === 0 && ids.length === some.length) return only.name;
  throw nameOne({ organizations: quoteAll(found.map(({ name }) => name)) || 'none' });
}
