import { newId, type PrincipalId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { Directory } from './records/directory.ts';
import { DirectoryName } from './records/directory-records.ts';

export { DirectoryName };

/** Creates a user for the operator. If the user exists already, changes nothing. */
export async function createUser(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  name: string,
): Promise<{ id: PrincipalId; isNew: boolean }> {
  const now = clock.now();
  const { record, created } = await new Directory(table).createUser({ id: newId(now), name, createdAt: now });
  return { id: record.id, isNew: created };
}
