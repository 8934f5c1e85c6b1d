/** Writes DER, as far as certificates and timestamps of an own root need it. */

const lengthOf = (size: number): Buffer => {
  if (size < 128) return Buffer.of(size);
  const bytes = Buffer.from(size.toString(16).padStart(size > 0xffff ? 6 : size > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
};

export const tlv = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content]);
};

export const sequence = (...parts: readonly Buffer[]): Buffer => tlv(0x30, ...parts);
export const set = (...parts: readonly Buffer[]): Buffer => tlv(0x31, ...parts);
export const octets = (...parts: readonly Buffer[]): Buffer => tlv(0x04, ...parts);
export const bits = (bytes: Buffer): Buffer => tlv(0x03, Buffer.of(0), bytes);
export const utf8 = (text: string): Buffer => tlv(0x0c, Buffer.from(text));
export const TRUE = tlv(0x01, Buffer.of(0xff));
/** A member with a number of the context. */
export const explicit = (number: number, ...parts: readonly Buffer[]): Buffer => tlv(0xa0 | number, ...parts);
export const implicit = (number: number, bytes: Buffer): Buffer => tlv(0x80 | number, bytes);

/** @param bytes most significant first; a leading bit gets a zero before it, because the number is positive */
export const integer = (bytes: Buffer): Buffer =>
  tlv(0x02, (bytes[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.of(0), bytes]) : bytes);

export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...arcs] = text.split('.').map(Number);
  const bytes = [first * 40 + second, ...arcs].flatMap((arc) => {
    const digits = [arc & 0x7f];
    for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128))
      digits.unshift((rest & 0x7f) | 0x80);
    return digits;
  });
  return tlv(0x06, Buffer.from(bytes));
}

/** GeneralizedTime. @param seconds since the epoch */
export const time = (seconds: number): Buffer =>
  tlv(0x18, Buffer.from(`${new Date(seconds * 1000).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`));
