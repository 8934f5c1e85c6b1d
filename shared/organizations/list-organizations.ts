import { type OrganizationId, storedId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { keyText, type Table } from '#shared/table/table.ts';
import { OrganizationListRecord, OrganizationRecord } from './records/directory-records.ts';
import { organizationKey, organizationList, organizationListKey } from './records/keys.ts';

/** Reads ids of organizations in their order, beginning with `from`. An empty text stands for the beginning. */
export async function readOrganizationIds(table: Table, from: string, limit: number): Promise<OrganizationId[]> {
  const found = await table.query({ pk: organizationList, ...(from !== '' && { from }), limit });
  return found.map(({ sk }) => storedId(sk));
}

/** An organization as the operator sees it; null instead of kind and features if its record is gone. */
interface ListedOrganization extends Pick<OrganizationRecord, 'id' | 'name'> {
  record: OrganizationRecord | null;
}

interface OrganizationPage {
  organizations: ListedOrganization[];
  /** The organization that the next page follows; null on the last page. */
  next: OrganizationId | null;
}

/**
 * Lists organizations, the oldest first: one Query of the list, and one batch of records per 100 organizations.
 *
 * @param after id of the last organization of the page before; undefined = the first page
 */
export async function listOrganizations(
  { table }: Pick<Stores, 'table'>,
  { after, limit }: { after: OrganizationId | undefined; limit: number },
): Promise<OrganizationPage> {
  // The bound is included, so the organization that the page follows is read and left out.
  const from = after === undefined ? {} : { from: organizationListKey(after).sk };
  const items = await table.query({ pk: organizationList, ...from, limit: limit + 2 });
  const listed = items.map((item) => OrganizationListRecord.parse(item)).filter(({ id }) => id !== after);
  const page = listed.slice(0, limit);
  const found = await table.getMany(page.map(({ name }) => organizationKey(name)));
  const organizations = page.map(({ id, name }) => {
    const item = found.get(keyText(organizationKey(name)));
    const record = item ? OrganizationRecord.parse(item) : null;
    return { id, name, record: record?.id === id ? record : null };
  });
  return { organizations, next: listed.length > limit ? (page.at(-1)?.id ?? null) : null };
}
