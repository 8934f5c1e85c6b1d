import { compareDigits, compareLists, compareTexts, type Order, orderOf } from './order.ts';

/** The order of RubyGems (rules/components.md#order-of-versions): words make a prerelease, zeros before one and at the end do not count. */
export const rubyOrder: Order = orderOf(
  (text) => {
    if (!/^\d+(?:\.[0-9a-zA-Z]+)*(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/.test(text)) return null;
    const segments: readonly string[] = text.replaceAll('-', '.pre.').match(/\d+|[a-z]+/gi) ?? [];
    const word = segments.findIndex(isWord);
    return word < 0
      ? withoutZeros(segments)
      : [...withoutZeros(segments.slice(0, word)), ...withoutZeros(segments.slice(word))];
  },
  (a, b) => compareLists(a, b, compareSegment, '0'),
);

const isWord = (segment: string): boolean => /^[a-z]/i.test(segment);

const withoutZeros = (segments: readonly string[]): readonly string[] =>
  segments.slice(0, segments.findLastIndex((segment) => !/^0+$/.test(segment)) + 1);

function compareSegment(a: string, b: string): number {
  if (isWord(a) !== isWord(b)) return isWord(a) ? -1 : 1;
  return isWord(a) ? compareTexts(a, b) : compareDigits(a, b);
}
