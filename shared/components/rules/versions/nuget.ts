import { compareDigits, compareLists, compareTexts, type Order, orderOf } from './order.ts';

/**
 * The order of NuGet (rules/components.md#order-of-versions): one to four numbers, then a prerelease as in semantic versions, in which case
 * does not count.
 */
export const nugetOrder: Order = orderOf(
  (text) => {
    const [, numbers, prerelease] = /^(\d+(?:\.\d+){0,3})(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/.exec(text) ?? [];
    if (numbers === undefined) return null;
    const labels = prerelease?.toLowerCase().split('.') ?? [];
    return labels.includes('') ? null : { numbers: numbers.split('.'), labels };
  },
  (a, b) => compareLists(a.numbers, b.numbers, compareDigits, '') || compareLabels(a.labels, b.labels),
);

/** A version without labels is greater than its prereleases, and more labels are greater than fewer. */
function compareLabels(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  return compareLists(a, b, compareLabel, '');
}

function compareLabel(a: string, b: string): number {
  const [left, right] = [classOf(a), classOf(b)];
  return left - right || (left === 1 ? compareDigits(a, b) : compareTexts(a, b));
}

/** A missing label is less than numbers, and numbers are less than words. */
function classOf(label: string): number {
  if (label === '') return 0;
  return /^\d+$/.test(label) ? 1 : 2;
}
