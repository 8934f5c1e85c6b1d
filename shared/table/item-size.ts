import { type Item, REQUEST } from './items.ts';

const utf8 = (text: string): number => Buffer.byteLength(text, 'utf8');

/** Size of a value in bytes, as it counts towards its item. */
export function sizeOf(value: unknown): number {
  if (value === undefined) return 0;
  if (value === null || typeof value === 'boolean') return 1;
  if (typeof value === 'string') return utf8(value);
  if (typeof value === 'number') return sizeOfNumber(value);
  if (value instanceof Uint8Array) return value.byteLength;
  if (value instanceof Set) return [...value].reduce((sum: number, member) => sum + sizeOf(member), 0);
  const overhead = 3;
  if (Array.isArray(value)) return value.reduce((sum: number, member) => sum + 1 + sizeOf(member), overhead);
  // Every other value was handled above.
  return Object.entries(value as object).reduce(
    (sum, [name, member]) => sum + 1 + utf8(name) + sizeOf(member),
    overhead,
  );
}

/** About a byte per two significant digits, one more, and one for a sign; at most 21. */
function sizeOfNumber(value: number): number {
  const [mantissa = ''] = Math.abs(value).toExponential().split('e');
  const digits = mantissa.replace('.', '').length;
  return Math.min(21, Math.ceil(digits / 2) + 1 + (value < 0 ? 1 : 0));
}

/** Size of an item in bytes, by the published rules of the database (rules/storage.md#units). */
export const itemSize = (item: Record<string, unknown> | undefined): number =>
  Object.entries(item ?? {}).reduce(
    (sum, [name, value]) => sum + (value === undefined ? 0 : utf8(name)) + sizeOf(value),
    0,
  );

/** Units of a write outside a transaction. */
export const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1024));

/** Whether an item can name a request without another unit for its writes. @param request the id */
export function hasRoomFor(item: Item, request: string): boolean {
  const bytes = itemSize(item);
  return writeUnits(bytes + itemSize({ [REQUEST]: request })) === writeUnits(bytes);
}
