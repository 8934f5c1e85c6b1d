import { inflateRawSync } from 'node:zlib';
import type { OrganizationId } from '#shared/base/ids.ts';
import { sha256Hex } from '#shared/bodies/bodies.ts';
import type { Table } from '#shared/table/table.ts';
import { itemsOf } from '#test/support/relay.ts';

/** Everything of an organization in the table as one text: deflated texts too, and bytes in hex. */
async function everything(table: Table, org: OrganizationId): Promise<string> {
  const items = await itemsOf(table.name, org);
  return items.map((item) => JSON.stringify(readable(item))).join('\n');
}

function readable(value: unknown): unknown {
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('hex'), Buffer.from(value).toString()];
  if (value instanceof Set || value instanceof Map) return [...value].map(readable);
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== 'object' || value === null) return value;
  const { enc, data } = value as { enc?: unknown; data?: Uint8Array };
  const text = enc === 'deflate' && data ? inflateRawSync(data).toString() : undefined;
  return [text, ...Object.entries(value).map(([name, member]) => [name, readable(member)])];
}

/**
 * Returns the keys of the items in which one of the texts, or the beginning of the SHA-256 of one of them, still occurs:
 * the test of an erasure.
 */
export async function traces(table: Table, org: OrganizationId, texts: readonly string[]): Promise<string[]> {
  const found = (await everything(table, org)).split('\n');
  const wanted = texts.flatMap((text) => [text, sha256Hex(text).slice(0, 32)]);
  return found.filter((item) => wanted.some((text) => item.includes(text)));
}
