import type { Fingerprint } from '#shared/base/ids.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { cursorIn, placeBefore, readFingerprintCursorIn } from '#shared/table/cursors.ts';
import { presentEnvironment } from './present-environment.ts';
import { type AllowedPage, readAllowedEntry, readAllowedPage } from './records/allowed.ts';

/** Which entries of an allow-list are listed: that of one artifact, or a page of all. */
interface AllowedSelection {
  fingerprint?: Fingerprint | undefined;
  /** `next` of the page before. */
  cursor?: string | undefined;
  perPage: number;
}

export interface AllowedEntries extends Pick<AllowedPage, 'entries'> {
  /** The cursor of the next page; null on the last one. */
  next: string | null;
}

/**
 * Lists the entries of an allow-list that are in force, by fingerprint (rules/environments.md#read-the-allow-list).
 *
 * @param environment present name or alias
 * @throws ServiceError `not-found` if the environment does not exist or is archived, `invalid` for the cursor of another list
 */
export async function listAllowed(
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  environment: EnvironmentName,
  { fingerprint, cursor, perPage }: AllowedSelection,
): Promise<AllowedEntries> {
  const { id } = await presentEnvironment(table, org, environment);
  const list = [org.id, 'allowed', id];
  const after = placeBefore(cursor, (given) => readFingerprintCursorIn(list, given));
  if (fingerprint !== undefined) {
    const entry = await readAllowedEntry(table, org.id, id, fingerprint);
    return { entries: entry ? [entry] : [], next: null };
  }
  const { entries, next } = await readAllowedPage(table, org.id, id, after, perPage);
  return { entries, next: next === null ? null : cursorIn(list, next) };
}
