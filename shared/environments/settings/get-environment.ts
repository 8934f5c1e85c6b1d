import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { presentEnvironmentRecord } from '../present-environment.ts';
import { type ReferredNames, readWithNames } from './referred-names.ts';
import { lastModified, type ShownEnvironment } from './shown-environment.ts';

/**
 * Reads an environment by its present name or an alias (rules/environments.md#record).
 *
 * @throws ServiceError `not-found` if it does not exist or is archived
 */
export async function getEnvironment(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  name: string,
): Promise<{ environment: ShownEnvironment; names: ReferredNames }> {
  const { found, names } = await readWithNames(
    table,
    org.id,
    name,
    () => presentEnvironmentRecord(table, objects, org, name),
    ({ head }) => head,
  );
  const { head, entry, facts, tags } = found;
  const environment = {
    ...head,
    facts,
    tags,
    changed: head.at,
    reported: entry?.r ?? 0,
    modified: lastModified(entry ?? { k: head.kind, m: head.created, r: 0, c: 0 }, head.at),
  };
  return { environment, names };
}
