import type { EnvironmentId, FlowId, OrganizationId } from '#shared/base/ids.ts';
import type { EnvironmentName, FlowName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { cursorIn, readNameCursorIn } from '#shared/table/cursors.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { readPresentFlowNames } from './read-flow-scope.ts';
import { presentNames, readEnvironmentList, readPresentNames } from './read-scope.ts';
import { readExpectation, readExpectationItems, readVersionItems } from './records/expectations.ts';
import { Expectation, ExpectationName } from './rules/expectation.ts';
import { unknownExpectation } from './rules/sentences.ts';
import { type SubjectSummary, summarize } from './summarize.ts';

/** An expectation that cannot be read. A list shows a placeholder for it (rules/lists.md#unreadable-records). */
export interface UnreadableExpectation {
  name: string;
  version: number;
  unreadable: unknown;
}

/**
 * Reads an expectation, archived or not, with the present names of its environments or flows.
 *
 * @throws ServiceError `not-found` if no expectation has the name
 */
export async function getExpectation(
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  name: string,
): Promise<Expectation> {
  const [expectation, environments] = await Promise.all([
    presentExpectation(table, org, name),
    readPresentNames(table, org.id),
  ]);
  return renamed(expectation, { environments, flows: await readFlowNames(table, org.id, [expectation]) });
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

export interface ListedExpectation extends Expectation {
  /** Only if it was asked for. */
  summary: SubjectSummary | undefined;
}

/**
 * Lists the expectations of an organization, by name, archived ones too (rules/expectations.md#list).
 *
 * @param after result of {@link readExpectationCursor}; undefined = the first page
 * @param withCounts whether to say how the subjects of each are; costs what the subjects of each kind cost
 * @returns the page, and the cursor of the next one; null on the last page
 */
export async function listExpectations(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: OrganizationId,
  { after, limit, withCounts }: { after: string | undefined; limit: number; withCounts: boolean },
): Promise<{ expectations: (ListedExpectation | UnreadableExpectation)[]; next: string | null }> {
  const [items, environments] = await Promise.all([
    readExpectationItems(table, org, { after, limit: limit + 1 }),
    readEnvironmentList(table, org),
  ]);
  const page = items.slice(0, limit);
  const read = page.map((item) => parsed(item, { name: item.sk, version: 0 }));
  const readable = read.flatMap((one) => ('unreadable' in one ? [] : [one]));
  const [summaries, flows] = await Promise.all([
    withCounts ? summarize(table, org, readable, environments, clock.now()) : undefined,
    readFlowNames(table, org, readable),
  ]);
  const names = { environments: presentNames(environments), flows };
  const expectations = read.map((one) =>
    'unreadable' in one ? one : { ...renamed(one, names), summary: summaries?.get(one.name) },
  );
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

/** The present names of what scopes name by id. */
interface PresentNames {
  environments: ReadonlyMap<EnvironmentId, EnvironmentName>;
  flows: ReadonlyMap<FlowId, FlowName>;
}

/** Reads the present names of the flows that expectations name. Reads nothing if they name none. */
const readFlowNames = (table: Table, org: OrganizationId, expectations: readonly Expectation[]) =>
  readPresentFlowNames(
    table,
    org,
    new Set(expectations.flatMap(({ scope }) => ('flows' in scope ? scope.flows.map(({ id }) => id) : []))),
  );

/** Shows environments and flows under their present names; what is archived keeps the name that it had in the request. */
function renamed(expectation: Expectation, names: PresentNames): Expectation {
  const { scope } = expectation;
  if ('tags' in scope) return expectation;
  if ('flows' in scope) {
    const flows = scope.flows.map(({ id, name }) => ({ id, name: names.flows.get(id) ?? name }));
    return { ...expectation, scope: { flows } };
  }
  const environments = scope.environments.map(({ id, name }) => ({ id, name: names.environments.get(id) ?? name }));
  return { ...expectation, scope: { environments } };
}
