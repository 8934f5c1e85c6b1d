import * as z from 'zod';
import type { Id } from '#shared/base/ids.ts';
import { invalidField } from '#shared/base/validation.ts';
import { CURSOR_PATTERN, cursorIn, readCursorIn } from '#shared/table/cursors.ts';
import { cursorHeaders } from './paging.ts';
import { placeBefore } from './query-fields.ts';
import type { Request } from './request.ts';

/** Pages of lists that have numbered pages, but cursors with some filters (rules/lists.md#scanned-lists). */

interface Asked {
  page?: number | undefined;
  cursor?: string | undefined;
}

/** The parameter of the cursor. @param filters the filters with which pages have cursors */
export const scanCursorField = (filters: string) =>
  z
    .string()
    .optional()
    .meta({
      description: `\`next_cursor\` of the previous page, for lists by ${filters}`,
      pattern: CURSOR_PATTERN,
    });

/**
 * Refuses a page number with such filters, and a cursor without them.
 * @throws ServiceError 400
 */
export function checkScannedPage(filters: string, isScanned: boolean, { page = 1, cursor }: Asked): void {
  if (isScanned && page > 1) {
    throw invalidField('query.page', `Pages by ${filters} have no numbers. Use cursor`, page);
  }
  if (!isScanned && cursor !== undefined) {
    throw invalidField('query.cursor', `Only pages by ${filters} have cursors. Use page`, cursor);
  }
}

/**
 * Reads the entry that a page follows.
 * @param list what distinguishes this list from others, with the organization
 * @throws ServiceError 400 for the cursor of another list
 */
export const entryBefore = (list: readonly string[], { cursor }: Asked): Id | undefined =>
  placeBefore(cursor, (given) => readCursorIn(list, given));

/** Returns the answer with a page. @param last the entry that the next page follows; null on the last page */
export function scannedAnswer<T>(
  request: Pick<Request, 'host' | 'path' | 'rawQuery'>,
  list: readonly string[],
  data: T[],
  last: Id | null,
) {
  const next = last === null ? null : cursorIn(list, last);
  return { status: 200, headers: cursorHeaders(request, next), body: { data, next_cursor: next } };
}

export const scannedPageSchema = <S extends z.ZodType>(item: S) =>
  z.object({
    data: z.array(item).describe('The records of the page'),
    next_cursor: z.string().nullable().describe('The `cursor` of the next page; null if this page is the last'),
  });
