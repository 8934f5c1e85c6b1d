import { hash } from 'node:crypto';
import * as z from 'zod';
import { type Fingerprint, type Id, isFingerprint, isId } from '#shared/base/ids.ts';
import { invalidField } from '#shared/base/validation.ts';

/** An opaque cursor: the place where the next page of a list starts (rules/lists.md#cursors). */

const Cursor = z.strictObject({ of: z.string(), after: z.string() });

/** The form of a cursor, for the OpenAPI document. An empty parameter counts as absent. */
export const CURSOR_PATTERN = '^[A-Za-z0-9_-]*$';

/** Ties a cursor to its list without revealing the parts of the list. */
const listDigest = (list: readonly string[]): string => hash('sha256', list.join('|'), 'base64url').slice(0, 16);

/**
 * Returns the cursor of a page.
 * @param list the id of the organization, then what distinguishes this list from its other lists
 * @param after the id, the fingerprint or the name after which the page starts
 */
export const cursorIn = (list: readonly string[], after: string): string =>
  Buffer.from(JSON.stringify({ of: listDigest(list), after } satisfies z.infer<typeof Cursor>)).toString('base64url');

/**
 * Reads a cursor.
 * @returns the id after which the page starts; null for a cursor of another list and for any other text
 */
export const readCursorIn = (list: readonly string[], cursor: string): Id | null => {
  const after = placeIn(list, cursor);
  return after !== null && isId(after) ? after : null;
};

/** The same for a list whose pages start after a fingerprint. */
export const readFingerprintCursorIn = (list: readonly string[], cursor: string): Fingerprint | null => {
  const after = placeIn(list, cursor);
  return after !== null && isFingerprint(after) ? after : null;
};

/** The same for a list whose pages start after a name of the given form. */
export const readNameCursorIn = (list: readonly string[], cursor: string, form: z.ZodType<string>): string | null =>
  form.safeParse(placeIn(list, cursor)).data ?? null;

/** The same for a list whose places are JSON. */
export const readJsonCursorIn = <P>(list: readonly string[], cursor: string, form: z.ZodType<P>): P | null =>
  form.safeParse(parsed(placeIn(list, cursor) ?? '')).data ?? null;

/**
 * Returns the place that a page follows; undefined for the first page.
 * @param read returns null for a cursor of another list
 * @throws ServiceError `invalid` for the cursor of another list
 */
export function placeBefore<P>(cursor: string | undefined, read: (cursor: string) => P | null): P | undefined {
  if (cursor === undefined) return undefined;
  const place = read(cursor);
  if (place === null) throw invalidField('query.cursor', 'Input should be the next_cursor of a page', cursor);
  return place;
}

function placeIn(list: readonly string[], cursor: string): string | null {
  const { data } = Cursor.safeParse(parsed(Buffer.from(cursor, 'base64url').toString('utf8')));
  return data && data.of === listDigest(list) ? data.after : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
