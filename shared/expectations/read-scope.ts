import { type EnvironmentId, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import { type EnvironmentName, storedName } from '#shared/base/names.ts';
import { readAllDetails } from '#shared/environments/records/environment-details.ts';
import { EnvironmentEntry } from '#shared/environments/records/environment-records.ts';
import { ENVIRONMENTS } from '#shared/environments/rules/series-kinds.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import { hasTags } from '#shared/series/tags.ts';
import type { Table } from '#shared/table/table.ts';
import type { Scope, SubjectTimes } from './rules/expectation.ts';

/** An environment that an expectation is about. */
export interface Subject {
  id: EnvironmentId;
  name: EnvironmentName;
  /** Null if the entry of the environment cannot be read. */
  times: SubjectTimes | null;
}

/**
 * Reads the environments of a scope, by name: those that are not archived and take reports. The list of environments and,
 * for tags, the details of all of them are read at the same time.
 */
export async function readScope(table: Table, org: OrganizationId, scope: Scope): Promise<Subject[]> {
  const [catalogue, details] = await Promise.all([
    readEnvironmentList(table, org),
    'tags' in scope ? readAllDetails(table, org) : undefined,
  ]);
  return subjectsOf(scope, catalogue, details);
}

/**
 * Reads the environments of several scopes, as {@link readScope} does. The details are read once, if a scope has tags.
 *
 * @param catalogue the list of environments, which the caller has read already
 */
export async function readScopes(
  table: Table,
  org: OrganizationId,
  scopes: readonly Scope[],
  catalogue: EnvironmentList,
): Promise<Subject[][]> {
  const details = scopes.some((scope) => 'tags' in scope) ? await readAllDetails(table, org) : undefined;
  return scopes.map((scope) => subjectsOf(scope, catalogue, details));
}

export type EnvironmentList = Awaited<ReturnType<typeof readEnvironmentList>>;
type Details = Awaited<ReturnType<typeof readAllDetails>>;

/** Reads the environments of an organization that are not archived, by key. */
export const readEnvironmentList = (table: Table, org: OrganizationId) => readCatalogue(table, org, ENVIRONMENTS);

function subjectsOf(scope: Scope, catalogue: EnvironmentList, details: Details | undefined): Subject[] {
  const isIn = environmentsIn(scope, details);
  const subjects: Subject[] = [];
  for (const { id, entry } of catalogue.values()) {
    if (entry['k'] === 'logical' || !isIn(id)) continue;
    const { data } = EnvironmentEntry.safeParse(entry);
    const times = data ? { created: timeOfId(id), reported: data.r } : null;
    subjects.push({ id, name: storedName(String(entry['n'])), times });
  }
  return subjects.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

type IsIn = (id: EnvironmentId) => boolean;

/** A scope of flows has no environments. */
function environmentsIn(scope: Scope, details: Details | undefined): IsIn {
  if ('tags' in scope) return taggedWith(scope.tags, details);
  return 'environments' in scope ? namedIn(scope.environments) : () => false;
}

function taggedWith(tags: readonly { name: string; value: string }[], details: Details | undefined): IsIn {
  const filters = tags.map(({ name, value }) => `${name}:${value}`);
  return (id) => details !== undefined && hasTags(details.tagsOf(id), filters);
}

function namedIn(environments: readonly { id: EnvironmentId }[]): IsIn {
  const ids = new Set(environments.map(({ id }) => id));
  return (id) => ids.has(id);
}

/** Reads the present names of the environments of an organization that are not archived, by id. */
export async function readPresentNames(
  table: Table,
  org: OrganizationId,
): Promise<ReadonlyMap<EnvironmentId, EnvironmentName>> {
  return presentNames(await readEnvironmentList(table, org));
}

/** Returns the names of a list of environments, by id. */
export const presentNames = (catalogue: EnvironmentList): ReadonlyMap<EnvironmentId, EnvironmentName> =>
  new Map([...catalogue.values()].map(({ id, entry }) => [id, storedName(String(entry['n']))]));
