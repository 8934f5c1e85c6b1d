import type { OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { cursorIn, readNameCursorIn } from '#shared/table/cursors.ts';
import { type AccountRecord, readAccount, readAccounts } from '../records/service-accounts.ts';
import { readTrust, readTrustItems, TrustName, TrustRecord } from '../records/trusts.ts';
import { trustNotFound } from '../rules/sentences.ts';

export { TrustName };

/** A trust with its service account; the account is undefined if there is none of its name any more. */
export interface ReadTrust {
  trust: TrustRecord;
  account: Pick<AccountRecord, 'id' | 'privilege'> | undefined;
}

/** What a trust says, as the audit log and answers name its fields. */
export const trustFacts = (trust: TrustRecord) => ({
  service_account: trust.account.name,
  preset: trust.preset,
  issuer: trust.issuer,
  audience: trust.audience,
  claims: Object.fromEntries(trust.claims.map(({ name, values }) => [name, values])),
  minutes: trust.minutes,
  description: trust.description,
});

/** Reads a trust by its name (rules/identities.md#trusts). @throws ServiceError `not-found` */
export async function getTrust(
  { table }: Pick<Stores, 'table'>,
  org: OrganizationId,
  name: string,
): Promise<ReadTrust> {
  const trust = await readTrust(table, org, name);
  if (!trust) throw trustNotFound();
  return { trust, account: await readAccount(table, org, trust.account.name) };
}

const listOf = (org: OrganizationId): string[] => [org, 'trusts'];

/** @returns the name of the last trust of the page before; null if the cursor does not belong to this list */
export const readTrustCursor = (org: OrganizationId, cursor: string): string | null =>
  readNameCursorIn(listOf(org), cursor, TrustName);

/**
 * Lists the trusts of an organization, by name (rules/identities.md#trusts).
 *
 * @param after result of {@link readTrustCursor}; undefined = the first page
 * @returns the page, and the cursor of the next one; null on the last page
 */
export async function listTrusts(
  { table }: Pick<Stores, 'table'>,
  org: OrganizationId,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<{ trusts: (ReadTrust | { name: string; unreadable: unknown })[]; next: string | null }> {
  const items = await readTrustItems(table, org, { after, limit: limit + 1 });
  const page = items.slice(0, limit).map((item) => ({ name: item.sk, ...TrustRecord.safeParse(item) }));
  const accounts = await readAccounts(
    table,
    org,
    page.flatMap(({ data }) => (data ? [data.account.name] : [])),
  );
  const trusts = page.map(({ name, data, error }) =>
    data ? { trust: data, account: accounts.get(data.account.name) } : { name, unreadable: error },
  );
  const last = items.length > limit ? page.at(-1)?.name : undefined;
  return { trusts, next: last === undefined ? null : cursorIn(listOf(org), last) };
}
