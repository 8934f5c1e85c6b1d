/**
 * Strings of Rego are bytes, and may hold bytes that are no UTF-8. A JavaScript string holds such a byte as a low
 * surrogate without a high one: U+DC80 for 0x80 up to U+DCFF for 0xff. Output shows it as U+FFFD, as OPA does.
 */
const BYTE_BASE = 0xdc00;

/** Valid UTF-8 in a text of bytes, or one byte. The bound keeps the matcher's stack small. */
const VALID_OR_BYTE =
  /(?:[\0-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}){1,1000}|[\x80-\xff]/g;

/** Returns the string of some bytes. */
export function textOfBytes(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!text.includes('\ufffd')) return text;
  return bytes.toString('latin1').replace(VALID_OR_BYTE, (part) => {
    const code = part.charCodeAt(0);
    if (part.length === 1 && code >= 0x80) return String.fromCharCode(BYTE_BASE + code);
    return Buffer.from(part, 'latin1').toString('utf8');
  });
}

/** Returns the bytes of a string. */
export function bytesOfText(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  const parts = text.split(/([\udc80-\udcff])/u);
  return Buffer.concat(
    parts.map((part, at) => (at % 2 === 1 ? Buffer.of(part.charCodeAt(0) - BYTE_BASE) : Buffer.from(part, 'utf8'))),
  );
}
