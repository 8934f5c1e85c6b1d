import { isIPv4, isIPv6 } from 'node:net';

/** Reads one address. An IPv4 address in the form of IPv6 counts as IPv4. */
export function address(text: string): { bits: 32 | 128; value: bigint } | null {
  if (isIPv4(text)) {
    return { bits: 32, value: text.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n) };
  }
  if (!isIPv6(text) || text.includes('%')) return null;
  const mapped = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const tail = mapped?.[2] === undefined ? null : address(mapped[2]);
  const whole =
    tail === null ? text : `${mapped?.[1]}${(tail.value >> 16n).toString(16)}:${(tail.value & 0xffffn).toString(16)}`;
  const [left = '', right] = whole.split('::');
  const words = (part: string) => (part === '' ? [] : part.split(':'));
  const front = words(left);
  const back = right === undefined ? [] : words(right);
  const zeros = new Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0');
  const value = [...front, ...zeros, ...back].reduce((sum, word) => (sum << 16n) | BigInt(`0x${word}`), 0n);
  return value >> 32n === 0xffffn ? { bits: 32, value: value & 0xffffffffn } : { bits: 128, value };
}

/** Writes an address, with `::` for the longest row of zeros. */
export function addressText(bits: 32 | 128, value: bigint): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
  const words = Array.from({ length: 8 }, (_, at) => (value >> BigInt(112 - 16 * at)) & 0xffffn);
  let best = { from: -1, length: 1 };
  for (let from = 0; from < 8; from += 1) {
    let length = 0;
    while (words[from + length] === 0n) length += 1;
    if (length > best.length) best = { from, length };
  }
  const hex = words.map((word) => word.toString(16));
  if (best.from === -1) return hex.join(':');
  return `${hex.slice(0, best.from).join(':')}::${hex.slice(best.from + best.length).join(':')}`;
}
