import type { OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { MemberRecord, type OrganizationRecord } from '#shared/organizations/records/directory-records.ts';
import { memberOfItem } from '#shared/organizations/records/organizations-of-user.ts';
import { TrustRecord, trustWrites } from '#shared/organizations/records/trusts.ts';
import type { Item } from '#shared/table/table.ts';
import { putsOf } from './restored.ts';
import type { ImportSource } from './source.ts';

/** What an organization has in the directory, which all organizations share. */

/**
 * Makes the users of the memberships that the region does not have, with their ids. They have no key and no way to sign in.
 *
 * @returns the names of members that other users of the region have
 */
export async function linkMembers(
  { table }: Pick<Stores, 'table'>,
  source: ImportSource,
  org: OrganizationId,
): Promise<string[]> {
  const directory = new Directory(table);
  const strangers: string[] = [];
  for await (const line of source.lines('members')) {
    const { principal: id, kind, name, addedAt } = MemberRecord.parse(line);
    if (kind !== 'user') continue;
    const { record } = await directory.createUser({ id, name, createdAt: addedAt });
    if (record.id === id) await table.put(memberOfItem(id, org));
    else strangers.push(name);
  }
  return strangers;
}

/** Returns the items of trusts: by their names and by their issuers. */
export async function trustItems(source: ImportSource, { id, name }: OrganizationRecord): Promise<Item[]> {
  const items: Item[] = [];
  for await (const line of source.lines('trusts')) {
    items.push(...putsOf(trustWrites({ id, name }, { after: TrustRecord.parse(line) }).writes));
  }
  return items;
}
