import { compareDigits, compareTexts, type Order, orderOf } from './order.ts';

/** Only a version with an epoch has colons after it. */
const VERSION = /^(?:(\d+):([A-Za-z0-9][A-Za-z0-9.+~:-]*)|([A-Za-z0-9][A-Za-z0-9.+~-]*))$/;

/** The order of dpkg: `[epoch:]upstream[-revision]` (rules/components.md#order-of-versions). */
export const debianOrder: Order = orderOf(
  (text) => {
    const [, epoch = '', after, only] = VERSION.exec(text) ?? [];
    const rest = after ?? only ?? '';
    if (rest === '' || rest.endsWith('-')) return null;
    const dash = rest.lastIndexOf('-');
    return { epoch, upstream: dash < 0 ? rest : rest.slice(0, dash), revision: dash < 0 ? '' : rest.slice(dash + 1) };
  },
  (a, b) =>
    compareDigits(a.epoch, b.epoch) || compareParts(a.upstream, b.upstream) || compareParts(a.revision, b.revision),
);

/** Compares alternating runs of other signs and digits, beginning with other signs. */
function compareParts(a: string, b: string): number {
  const [left, right] = [runsOf(a), runsOf(b)];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [one, two] = [left[index] ?? '', right[index] ?? ''];
    const found = index % 2 === 1 ? compareDigits(one, two) : compareSigns(one, two);
    if (found !== 0) return found;
  }
  return 0;
}

/** The runs of a text: other signs first, so that each run of digits has an odd index. */
function runsOf(text: string): string[] {
  const runs = text.match(/\d+|\D+/g) ?? [];
  return /^\d/.test(text) ? ['', ...runs] : runs;
}

function compareSigns(a: string, b: string): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const [one, two] = [a.charAt(index), b.charAt(index)];
    const found = classOf(one) - classOf(two) || compareTexts(one, two);
    if (found !== 0) return found;
  }
  return 0;
}

/** A tilde is less than the end, the end is less than letters, and letters are less than the other signs. */
function classOf(sign: string): number {
  if (sign === '~') return 0;
  if (sign === '') return 1;
  return /[A-Za-z]/.test(sign) ? 2 : 3;
}
