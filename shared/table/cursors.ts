import { hash } from 'node:crypto';
import * as z from 'zod';
import { type Id, isId } from '#shared/base/ids.ts';

/** Opaque cursors: where the next page of a list that runs by ids begins (design §4.4). */

const Cursor = z.strictObject({ of: z.string(), after: z.string().refine(isId) });

/** Ties a cursor to the list that it was given for, without telling what the list is made from. */
const listDigest = (list: readonly string[]): string => hash('sha256', list.join('|'), 'base64url').slice(0, 16);

/**
 * @param list what the list is made from: the organization's id first, then what tells it from its other lists
 * @param after the id that the page begins behind
 */
export const cursorIn = (list: readonly string[], after: Id): string =>
  Buffer.from(JSON.stringify({ of: listDigest(list), after } satisfies z.infer<typeof Cursor>)).toString('base64url');

/** @returns the id that a page begins behind; null for anything that was not given for this very list */
export function readCursorIn(list: readonly string[], cursor: string): Id | null {
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
