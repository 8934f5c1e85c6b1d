import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { cursorIn, readNameCursorIn } from '#shared/table/cursors.ts';
import type { Table } from '#shared/table/table.ts';
import { readAsked } from './records/asked.ts';
import { readMatches } from './records/matches.ts';
import { readWatch, readWatchItems } from './records/watches.ts';
import { matchId } from './rules/match.ts';
import { unknownWatch } from './rules/sentences.ts';
import { Watch, WatchName } from './rules/watch.ts';

/** A watch, and what it found so far. */
export interface ListedWatch {
  watch: Watch;
  /** When the last question to the whole index began; null = none was answered completely yet. */
  askedAt: Micros | null;
  /** When it matched first; null = it did not. */
  matchedAt: Micros | null;
}

/** A watch that cannot be read. A list shows a placeholder for it (rules/lists.md#unreadable-records). */
export interface UnreadableWatch {
  name: string;
  unreadable: unknown;
}

/** Reads a watch. @throws ServiceError `not-found` if no watch has the name */
export async function getWatch(
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  name: string,
): Promise<ListedWatch> {
  const watch = await readWatch(table, org.id, name);
  if (!watch) throw unknownWatch({ watch: name, org: org.name });
  const [found] = await withFindings(table, org.id, [watch]);
  // One watch gives one result.
  return found ?? { watch, askedAt: null, matchedAt: null };
}

const listOf = (org: OrganizationId): string[] => [org, 'watches'];

/** @returns the name of the last watch of the page before; null if the cursor does not belong to this list */
export const readWatchCursor = (org: OrganizationId, cursor: string): string | null =>
  readNameCursorIn(listOf(org), cursor, WatchName);

/**
 * Lists the watches of an organization, by name (rules/watches.md#list).
 *
 * @param after result of {@link readWatchCursor}; undefined = the first page
 * @returns the page, and the cursor of the next one; null on the last page
 */
export async function listWatches(
  { table }: Pick<Stores, 'table'>,
  org: OrganizationId,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<{ watches: (ListedWatch | UnreadableWatch)[]; next: string | null }> {
  const items = await readWatchItems(table, org, { after, limit: limit + 1 });
  const page = items.slice(0, limit);
  const read = page.map((item): Watch | UnreadableWatch => {
    const { data, error } = Watch.safeParse(item);
    return data ?? { name: item.sk, unreadable: error };
  });
  const readable = read.flatMap((one) => ('unreadable' in one ? [] : [one]));
  const found = new Map((await withFindings(table, org, readable)).map((one) => [one.watch.name, one]));
  const watches = read.flatMap((one): (ListedWatch | UnreadableWatch)[] => {
    if ('unreadable' in one) return [one];
    const listed = found.get(one.name);
    return listed ? [listed] : [];
  });
  const last = items.length > limit ? page.at(-1)?.sk : undefined;
  return { watches, next: last === undefined ? null : cursorIn(listOf(org), last) };
}

/** Adds what watches found, with two calls. */
async function withFindings(table: Table, org: OrganizationId, watches: readonly Watch[]): Promise<ListedWatch[]> {
  if (watches.length === 0) return [];
  const [asked, matches] = await Promise.all([
    readAsked(table, org),
    readMatches(
      table,
      org,
      watches.map(({ id }) => matchId(id, null)),
    ),
  ]);
  return watches.map((watch) => {
    const at = asked.get(watch.id)?.at;
    // 0 = a visit had it asked, and no question was answered completely.
    const askedAt = at === undefined || at === 0 ? null : at;
    return { watch, askedAt, matchedAt: matches.find((match) => match.watch.id === watch.id)?.at ?? null };
  });
}
