import type * as z from 'zod';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { inlineText, StoredBody } from '#shared/bodies/bodies.ts';
import { recordJson } from '#shared/bodies/record-json.ts';
import type { Subject } from '#shared/log/rules/entry.ts';
import type { Item } from '#shared/table/table.ts';
import type { ExportContext } from './context.ts';

/** A line of a file of records: the file's name without its number, and the record (rules/exports.md#records). */
export interface Line {
  file: string;
  record: Readonly<Record<string, unknown>>;
}

/** Returns the JSON text of a record. Bytes are in hex, and bodies as {@link bodyOf} shows them. */
export const lineText = ({ record }: Line): string => `${canonicalJson(recordJson(record, bodyOf))}\n`;

/** A body in a line: its text, or the name of the file that holds the text (rules/exports.md#bodies). */
function bodyOf(body: StoredBody): Record<string, unknown> {
  if (body.store === 'erased') return { erased: body.erased ?? true };
  const sha256 = Buffer.from(body.digest).toString('hex');
  const facts = { sha256, salt: Buffer.from(body.salt).toString('hex'), size: body.size };
  return body.store === 'inline' ? { ...facts, text: inlineText(body) } : { ...facts, file: `data/bodies/${sha256}` };
}

/**
 * Returns the member `body` without its salt, for the line of a record that another record names by the SHA-256 of its text. No
 * commitment stands for such a body.
 */
export function namedBody(body: unknown): { body?: Record<string, unknown> } {
  const { data } = StoredBody.safeParse(body);
  // The line of an item that does not fit its schema says that it cannot be read.
  if (!data) return {};
  const { salt: _, ...named } = bodyOf(data);
  return { body: named };
}

/** How items with sort keys that begin with `prefix` become lines. */
export interface Shape {
  /** Absent: all sort keys fit. */
  prefix?: string;
  /** Says in the line what the record is. */
  item: string;
  /** Names every attribute that may be exported. Other attributes are left out. */
  schema: z.ZodObject;
}

/**
 * Makes the lines of stored items. An item that does not fit its schema becomes a line that says so
 * (rules/lists.md#unreadable-records).
 * @param shapes the first one that fits a sort key counts
 * @throws Error for an item that no shape describes
 */
export function linesOf(
  file: string,
  shapes: readonly Shape[],
  items: readonly Item[],
  more: (item: Item) => Record<string, unknown> = () => ({}),
): Line[] {
  return items.map((item) => {
    const shape = shapes.find(({ prefix = '' }) => item.sk.startsWith(prefix));
    if (!shape) throw new Error(`No shape of ${file} describes the item ${item.sk}`);
    const { item: name, schema } = shape;
    const { data, success } = schema.safeParse(item);
    const { sk, ...record } = success ? data : { unreadable: true };
    return { file, record: { item: name, ...record, ...(success ? {} : { key: item.sk }), ...more(item) } };
  });
}

/** Completes the lines of records that have entries in the log. @param subjects of the entries, in the order of the lines */
export async function provedLines(
  { logIndexes }: ExportContext,
  lines: readonly Line[],
  subjects: readonly Subject[],
): Promise<Line[]> {
  const indexes = await logIndexes(subjects);
  return lines.map((line, i) => provedLine(line, indexes[i]));
}

/**
 * Completes the line of a record that has an entry in the log. The commitments get the name that they have in the header
 * of the entry.
 * @param index index of the entry; null if the export does not prove the record
 */
export function provedLine({ file, record }: Line, index: number | null | undefined): Line {
  const { pledges, ...rest } = record;
  return {
    file,
    record: {
      ...rest,
      ...(pledges !== undefined && { commitments: pledges }),
      ...(index != null && { log_index: index }),
    },
  };
}
