/** How the versions of one ecosystem are ordered. */
export interface Order {
  /** Whether a text is a version that can be compared. */
  isVersion(text: string): boolean;
  /** Compares two versions: negative if `a` is less, 0 if they are equal. Both are versions that can be compared. */
  compare(a: string, b: string): number;
}

/** An order of versions that are parsed first. `parse` returns null for what is no version. */
export function orderOf<T>(parse: (text: string) => T | null, compare: (a: T, b: T) => number): Order {
  return {
    isVersion: (text) => parse(text) !== null,
    compare: (a, b) => {
      const [left, right] = [parse(a), parse(b)];
      if (left === null || right === null) throw new Error(`No version: ${left === null ? a : b}`);
      return compare(left, right);
    },
  };
}

/** Compares two texts of digits as numbers of any size. An empty text counts as 0. */
export function compareDigits(a: string, b: string): number {
  const [left, right] = [withoutZeros(a), withoutZeros(b)];
  return left.length - right.length || compareTexts(left, right);
}

/** Compares two texts by their UTF-16 code units. */
export const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** Returns the first difference of two lists. What a list lacks at its end is `rest`. */
export function compareLists<T>(
  a: readonly T[],
  b: readonly T[],
  compare: (left: T, right: T) => number,
  rest: T,
): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const found = compare(a[index] ?? rest, b[index] ?? rest);
    if (found !== 0) return found;
  }
  return 0;
}

const withoutZeros = (digits: string): string => digits.replace(/^0+/, '');
