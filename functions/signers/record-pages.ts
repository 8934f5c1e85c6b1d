import type { Stores } from '#shared/bodies/stores.ts';
import { cursorHeaders, flatPage, pageAnswer } from '#shared/http/paging.ts';
import { placeBefore } from '#shared/http/query-fields.ts';
import type { Request } from '#shared/http/request.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';
import {
  listVersioned,
  listVersions,
  type Readable,
  readVersionedCursor,
  type Unreadable,
} from '#shared/signers/read-signers.ts';
import type { Versioned } from '#shared/signers/rules/recall-records.ts';

/** How answers show the records of a kind. */
interface Shown<R extends Versioned, O> {
  readable: Readable<R>;
  /** What log lines call a record that cannot be read. */
  what: string;
  out: (one: R) => O;
  unreadable: (one: Unreadable) => O;
}

type ListRequest = Request<unknown, { cursor?: string | undefined; per_page: number }>;
type VersionsRequest = Request<{ name: string }, { page: number; per_page: number }>;

/**
 * Reads a page of records by name, for the answer of a list with cursors. A record that cannot be read is logged, and shown as a
 * placeholder (rules/lists.md#unreadable-records).
 */
export async function recordsPage<R extends Versioned, O>(
  { readable, what, out, unreadable }: Shown<R, O>,
  request: ListRequest,
  stores: Pick<Stores, 'table'>,
): Promise<{ headers: Record<string, string>; shown: O[]; next: string | null }> {
  const { org, query } = request;
  const after = placeBefore(query.cursor, (given) => readVersionedCursor(readable.list, org.id, given));
  const { records, next } = await listVersioned(readable, stores, org.id, { after, limit: query.per_page });
  const shown = records.map((one) => {
    if (!('unreadable' in one)) return out(one);
    logUnreadable('signers', request, `${what} ${one.name}`, one.unreadable);
    return unreadable(one);
  });
  return { headers: cursorHeaders(request, next), shown, next };
}

/**
 * Answers a page of the versions of a record, the newest first. A version that cannot be read is logged, and shown as a placeholder.
 *
 * @throws ServiceError `not-found` if no record has the name
 */
export async function versionsPage<R extends Versioned, O>(
  { readable, what, out, unreadable }: Shown<R, O>,
  request: VersionsRequest,
  stores: Pick<Stores, 'table'>,
) {
  const { params, query, org } = request;
  const page = { page: query.page, perPage: query.per_page };
  const { total, versions } = await listVersions(readable, stores, org, { name: params.name, ...page });
  const items = versions.map((one) => {
    if (!('unreadable' in one)) return out(one);
    logUnreadable('signers', request, `version ${one.version} of ${what} ${one.name}`, one.unreadable);
    return unreadable(one);
  });
  const shown = { ...page, total, items };
  return pageAnswer(request, shown, flatPage('versions', request, shown));
}
