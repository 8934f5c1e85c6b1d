import { BuiltinError } from '../../errors.ts';

/** One element of ASN.1 in DER: its tag, its contents, and all of its bytes. */
export interface Der {
  /** Class, form and number, as in the first byte. */
  readonly tag: number;
  readonly contents: Buffer;
  readonly raw: Buffer;
}

export const TAGS = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The tag of the context-specific element with a number. */
export const context = (number: number, constructed = true): number => (constructed ? 0xa0 : 0x80) + number;

/** Reads exactly one element. */
export function readDer(bytes: Buffer): Der {
  const first = elementAt(bytes, 0);
  if (first.raw.length !== bytes.length) throw new BuiltinError('trailing data');
  return first;
}

function elementAt(bytes: Buffer, at: number): Der {
  const [tag, short] = [bytes[at], bytes[at + 1]];
  if (tag === undefined || short === undefined || (tag & 0x1f) === 0x1f) throw malformed();
  let start = at + 2;
  let length = short;
  if (short >= 0x80) {
    const size = short & 0x7f;
    if (size === 0 || size > 4 || start + size > bytes.length) throw malformed();
    length = bytes.readUIntBE(start, size);
    start += size;
  }
  if (start + length > bytes.length) throw malformed();
  return { tag, contents: bytes.subarray(start, start + length), raw: bytes.subarray(at, start + length) };
}

const malformed = () => new BuiltinError('not ASN.1 in DER');

/** The elements inside an element. */
export function children(element: Der): readonly Der[] {
  const found: Der[] = [];
  for (let at = 0; at < element.contents.length; ) {
    const child = elementAt(element.contents, at);
    found.push(child);
    at += child.raw.length;
  }
  return found;
}

/** The contents of an element that must have a tag. */
export function contentsOf(element: Der | undefined, tag: number): Buffer {
  return expected(element, tag).contents;
}

/** The elements inside an element that must have a tag. */
export function partsOf(element: Der | undefined, tag: number = TAGS.sequence): readonly Der[] {
  return children(expected(element, tag));
}

function expected(element: Der | undefined, tag: number): Der {
  if (element === undefined || element.tag !== tag) throw new BuiltinError('ASN.1 has another structure');
  return element;
}

/** Reads an integer with its sign. */
export function integerOf(element: Der | undefined): bigint {
  const contents = contentsOf(element, TAGS.integer);
  if (contents.length === 0) throw malformed();
  return BigInt.asIntN(contents.length * 8, BigInt(`0x${contents.toString('hex')}`));
}

/** The numbers of an object identifier. */
export function oidOf(element: Der | undefined): number[] {
  const contents = contentsOf(element, TAGS.oid);
  const numbers: number[] = [];
  let value = 0;
  for (const byte of contents) {
    value = value * 128 + (byte & 0x7f);
    if (value > Number.MAX_SAFE_INTEGER / 128) throw malformed();
    if (byte < 0x80) {
      numbers.push(value);
      value = 0;
    }
  }
  const [first] = numbers;
  if (first === undefined || (contents.at(-1) ?? 0x80) >= 0x80) throw malformed();
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - root * 40, ...numbers.slice(1)];
}

/** The bytes of a bit string. Unused bits at its end are zero. */
export function bitsOf(element: Der | undefined): Buffer {
  const contents = contentsOf(element, TAGS.bits);
  if (contents.length === 0 || (contents[0] ?? 8) > 7) throw malformed();
  return contents.subarray(1);
}

/** Texts of names have several encodings. */
export function textOf(element: Der): string {
  if (element.tag === 0x1e) return Buffer.from(element.contents).swap16().toString('utf16le');
  return element.contents.toString(element.tag === 0x0c ? 'utf8' : 'latin1');
}

/** An instant as `2026-11-22T16:01:53Z`. */
export function timeOf(element: Der | undefined): string {
  const text = element?.contents.toString('latin1') ?? '';
  const isShort = element?.tag === TAGS.utcTime;
  if (element === undefined || (!isShort && element.tag !== TAGS.generalizedTime)) throw malformed();
  const century = isShort ? (Number(text.slice(0, 2)) >= 50 ? '19' : '20') : '';
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(century + text);
  if (match === null) throw new BuiltinError('a time is not written as it must be');
  const [, year, month, day, hour, minute, second] = match;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
}
