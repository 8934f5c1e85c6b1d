import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { preciseIdOf } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { prepareBody, type StoredBody, sha256Hex } from '#shared/bodies/bodies.ts';
import { erasedBody } from '#shared/bodies/erased-bodies.ts';
import { Erasure } from '#shared/bodies/erasure.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Item, Write } from '#shared/table/table.ts';
import type { ImportSource } from './source.ts';

/** How the parts of a line become parts of a stored item again. */

/** Bytes, which a line has in hex. */
export const Hex = z
  .string()
  .regex(/^(?:[0-9a-f]{2})*$/)
  .transform((text): Uint8Array => Buffer.from(text, 'hex'));

/** A text as a line shows it (rules/exports.md#bodies). */
export const ShownBody = z.union([
  z.object({ erased: Erasure }),
  z.object({ salt: Hex.optional(), text: z.string() }),
  z.object({ salt: Hex.optional(), file: z.string() }),
]);
export type ShownBody = z.infer<typeof ShownBody>;

/** What restoring a record needs. */
export interface Restoring extends Stores {
  org: OrganizationId;
  source: ImportSource;
}

/**
 * Stores the text of a body with its salt again, as the service stores a new text.
 *
 * @param user id of the record that uses the body
 * @param limit most stored bytes of a body that lies in its item
 * @returns the body, and the items that say who uses it
 */
export async function restoredBody(
  { objects, org, source }: Pick<Restoring, 'objects' | 'org' | 'source'>,
  shown: ShownBody,
  user: string,
  limit?: number,
): Promise<{ body: StoredBody; items: Item[] }> {
  if ('erased' in shown) return { body: erasedBody(shown.erased), items: [] };
  const text = await restoredText({ source }, shown);
  const { salt } = shown;
  const options = { ...(limit !== undefined && { limit }), ...(salt && { random: () => salt }) };
  const { body, writes, upload } = prepareBody(objects, org, text, user, options);
  await upload();
  return { body, items: putsOf(writes) };
}

/** Returns the text of a body. @throws Error if it was erased */
export async function restoredText({ source }: Pick<Restoring, 'source'>, shown: ShownBody): Promise<string> {
  if ('text' in shown) return shown.text;
  if ('file' in shown) return (await source.read(shown.file)).toString('utf8');
  throw new Error('The text was erased');
}

/**
 * Returns the items that writes put. An import puts them without conditions: nobody else writes to an organization that
 * cannot be found yet, and a repeated import puts the same items.
 *
 * @throws Error for a write that puts no item
 */
export const putsOf = (writes: readonly Write<unknown>[]): Item[] =>
  writes.map((write) => {
    if ('put' in write) return write.put;
    throw new Error('An import puts items, and this write changes or removes one');
  });

/** Returns the sort key of an entry of a list. A repeated import makes the same one. */
export const entryId = (at: Micros, record: string) => preciseIdOf(at, sha256Hex(record));
