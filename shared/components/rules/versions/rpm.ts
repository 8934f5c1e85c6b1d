import { compareDigits, compareLists, compareTexts, type Order, orderOf } from './order.ts';

/** The order of RPM: `[epoch:]version[-release]` (rules/components.md#order-of-versions). */
export const rpmOrder: Order = orderOf(
  (text) => {
    const [, epoch = '', version, release = ''] =
      /^(?:(\d+):)?([A-Za-z0-9._+~^]+)(?:-([A-Za-z0-9._+~^]+))?$/.exec(text) ?? [];
    return version === undefined || !/[A-Za-z0-9]/.test(version) ? null : { epoch, version, release };
  },
  (a, b) => compareDigits(a.epoch, b.epoch) || compareParts(a.version, b.version) || compareParts(a.release, b.release),
);

const compareParts = (a: string, b: string): number => compareLists(partsOf(a), partsOf(b), comparePart, '');

/** Digits, letters, tildes and carets. Other signs only separate. */
const partsOf = (text: string): readonly string[] => text.match(/\d+|[A-Za-z]+|[~^]/g) ?? [];

function comparePart(a: string, b: string): number {
  return classOf(a) - classOf(b) || (/^\d/.test(a) ? compareDigits(a, b) : compareTexts(a, b));
}

/** `1.0~rc1` is less than `1.0`, which is less than `1.0^git1`, which is less than `1.0.a` and `1.0.1`. */
function classOf(part: string): number {
  if (part === '~') return 0;
  if (part === '') return 1;
  if (part === '^') return 2;
  return /^\d/.test(part) ? 4 : 3;
}
