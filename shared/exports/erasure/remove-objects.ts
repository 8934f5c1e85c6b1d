import type { OrganizationId } from '#shared/base/ids.ts';
import { isFileUse, pendingDone, readPending, usesOf } from '#shared/bodies/erasure.ts';
import type { ErasureServices } from './subjects.ts';

/** The outcome of the removals of objects. */
export interface Removals {
  versions: number;
  /** Objects with versions that Object Lock keeps. */
  locked: string[];
  /** Objects that a record uses again, or still. */
  used: string[];
}

/**
 * Removes the objects of erased records from the bucket, with all versions that were stored before the erasure. An object
 * that a record uses stays, and so does its entry in the list of removals.
 */
export async function removeObjects({ table, objects }: ErasureServices, org: OrganizationId): Promise<Removals> {
  const removals: Removals = { versions: 0, locked: [], used: [] };
  for (const pending of await readPending(table, org)) {
    const { prefix, sha256, at } = pending;
    const { users } = await usesOf(table, org, sha256);
    const old = (await objects.versions(prefix, org, sha256)).filter((version) => version.at <= at);
    if (old.length > 0 && users.some((user) => isFileUse(user) === (prefix === 'evidence'))) {
      removals.used.push(`${prefix}/${org}/${sha256}`);
      continue;
    }
    let isLocked = false;
    for (const { version } of old) {
      if (await objects.removeVersion(prefix, org, sha256, version)) removals.versions += 1;
      else isLocked = true;
    }
    if (isLocked) removals.locked.push(`${prefix}/${org}/${sha256}`);
    else await table.write(pendingDone(org, pending));
  }
  return removals;
}
