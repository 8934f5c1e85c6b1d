import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { cursorIn, readNameCursorIn } from '#shared/table/cursors.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { readPresentNames } from './read-scope.ts';
import { readExpectation, readExpectationItems, readVersionItems } from './records/expectations.ts';
import { Expectation, ExpectationName } from './rules/expectation.ts';
import { unknownExpectation } from './rules/sentences.ts';

/** An expectation that cannot be read. A list shows a placeholder for it (rules/lists.md#unreadable-records). */
export interface UnreadableExpectation {
  name: string;
  version: number;
  unreadable: unknown;
}

/**
 * Reads an expectation, archived or not, with the present names of its environments.
 *
 * @throws ServiceError `not-found` if no expectation has the name
 */
export async function getExpectation(
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  name: string,
): Promise<Expectation> {
  const [expectation, names] = await Promise.all([
    presentExpectation(table, org, name),
    readPresentNames(table, org.id),
  ]);
  return renamed(expectation, names);
}

/** Reads an expectation as it is stored. @throws ServiceError `not-found` if no expectation has the name */
export async function presentExpectation(table: Table, org: Organization, name: string): Promise<Expectation> {
  const expectation = await readExpectation(table, org.id, name);
  if (!expectation) throw unknownExpectation({ expectation: name, org: org.name });
  return expectation;
}

const listOf = (org: OrganizationId): string[] => [org, 'expectations'];

/** @returns the name of the last expectation of the page before; null if the cursor does not belong to this list */
export const readExpectationCursor = (org: OrganizationId, cursor: string): string | null =>
  readNameCursorIn(listOf(org), cursor, ExpectationName);

/**
 * Lists the expectations of an organization, by name, archived ones too (rules/expectations.md#list).
 *
 * @param after result of {@link readExpectationCursor}; undefined = the first page
 * @returns the page, and the cursor of the next one; null on the last page
 */
export async function listExpectations(
  { table }: Pick<Stores, 'table'>,
  org: OrganizationId,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<{ expectations: (Expectation | UnreadableExpectation)[]; next: string | null }> {
  const [items, names] = await Promise.all([
    readExpectationItems(table, org, { after, limit: limit + 1 }),
    readPresentNames(table, org),
  ]);
  const page = items.slice(0, limit);
  const expectations = page.map((item) => {
    const one = parsed(item, { name: item.sk, version: 0 });
    return 'unreadable' in one ? one : renamed(one, names);
  });
  const last = items.length > limit ? page.at(-1)?.sk : undefined;
  return { expectations, next: last === undefined ? null : cursorIn(listOf(org), last) };
}

/**
 * Reads a page of the versions of an expectation, the newest first (rules/expectations.md#versions). Environments have the
 * names of that time.
 *
 * @param page pages begin with 1
 * @throws ServiceError `not-found` if no expectation has the name
 */
export async function listExpectationVersions(
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  name: string,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ total: number; versions: (Expectation | UnreadableExpectation)[] }> {
  const { version: total } = await presentExpectation(table, org, name);
  const to = total - (page - 1) * perPage;
  const from = Math.max(1, to - perPage + 1);
  const items = await readVersionItems(table, org.id, name, { from, to });
  return { total, versions: items.map((item, i) => parsed(item, { name, version: to - i })) };
}

function parsed(item: Item, known: { name: string; version: number }): Expectation | UnreadableExpectation {
  const { data, error } = Expectation.safeParse(item);
  return data ?? { ...known, unreadable: error };
}

/** Shows environments under their present names; an archived environment keeps the name that it had in the request. */
function renamed(expectation: Expectation, names: ReadonlyMap<EnvironmentId, EnvironmentName>): Expectation {
  const { scope } = expectation;
  if ('tags' in scope) return expectation;
  const environments = scope.environments.map(({ id, name }) => ({ id, name: names.get(id) ?? name }));
  return { ...expectation, scope: { environments } };
}
