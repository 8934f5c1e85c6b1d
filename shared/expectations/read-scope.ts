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
  const [catalogue, isIn] = await Promise.all([
    readCatalogue(table, org, ENVIRONMENTS),
    'tags' in scope ? taggedWith(table, org, scope.tags) : namedIn(scope.environments),
  ]);
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

async function taggedWith(
  table: Table,
  org: OrganizationId,
  tags: readonly { name: string; value: string }[],
): Promise<IsIn> {
  const details = await readAllDetails(table, org);
  const filters = tags.map(({ name, value }) => `${name}:${value}`);
  return (id) => hasTags(details.tagsOf(id), filters);
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
  const catalogue = await readCatalogue(table, org, ENVIRONMENTS);
  return new Map([...catalogue.values()].map(({ id, entry }) => [id, storedName(String(entry['n']))]));
}
