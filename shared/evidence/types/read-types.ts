import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import {
  type CustomType,
  readType,
  readTypeNames,
  readTypeOutlines,
  readTypes,
  readTypeVersion,
  type TypeHead,
  type TypeVersion,
  type VersionOutline,
} from '../records/custom-types.ts';
import { unknownType, unknownTypeVersion } from '../rules/sentences.ts';

export type { CustomType, TypeHead, TypeVersion, VersionOutline };

type Reading = Pick<Stores, 'table' | 'objects'>;

/** Reads a custom type with all its versions (rules/attestations.md#read-a-type). @throws ServiceError `not-found` */
export async function getType({ table, objects }: Reading, org: Organization, name: string): Promise<CustomType> {
  const type = await readType(table, objects, org.id, name);
  if (!type) throw unknownType({ type: name, org: org.name });
  return type;
}

/**
 * Reads a custom type with one of its versions.
 *
 * @param version a whole number as the caller wrote it
 * @throws ServiceError `not-found` if there is no such type, or no such version of it
 */
export async function getTypeVersion({ table, objects }: Reading, org: Organization, name: string, version: string) {
  const type = await readTypeVersion(table, objects, org.id, name, Number(version));
  if (!type) throw unknownType({ type: name, org: org.name });
  if (type.versions.length === 0) throw unknownTypeVersion({ version, type: name });
  return type;
}

/** Which custom types are listed. */
interface TypeSelection {
  archived: boolean;
  /** Text that the names contain, in upper or lower case. */
  search: string;
  /** All types without a page. */
  page?: { page: number; perPage: number } | undefined;
}

/** Lists custom types by name (rules/attestations.md#list-types). @returns the types of the page, and how many are selected in all */
export async function listTypes({ table, objects }: Reading, org: Organization, selection: TypeSelection) {
  const { total, names } = await selectNames(table, org, selection);
  return { total, types: await readTypes(table, objects, org.id, names) };
}

/** As {@link listTypes}, without the contents of the versions. */
export async function listTypeOutlines({ table }: Pick<Stores, 'table'>, org: Organization, selection: TypeSelection) {
  const { total, names } = await selectNames(table, org, selection);
  return { total, types: await readTypeOutlines(table, org.id, names) };
}

async function selectNames(table: Stores['table'], org: Organization, { page, ...wanted }: TypeSelection) {
  const names = await readTypeNames(table, org.id, wanted);
  const shown = page ? names.slice((page.page - 1) * page.perPage, page.page * page.perPage) : names;
  return { total: names.length, names: shown };
}
