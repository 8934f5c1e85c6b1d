import { compareDigits, compareTexts, type Order, orderOf } from './order.ts';

/** The order of `ComparableVersion` of Maven 3 (rules/components.md#order-of-versions). */

/** A number, a word, or what follows a dash or a change between digits and letters. */
type Item =
  | { readonly kind: 'number'; readonly digits: string }
  | { readonly kind: 'word'; readonly rank: string }
  | { readonly kind: 'list'; readonly items: Item[] };

const QUALIFIERS = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', '', 'sp'];
/** Where a version without a qualifier stands among those with one. */
const RELEASE = rankOf('');
const ALIASES = new Map([
  ['ga', ''],
  ['final', ''],
  ['release', ''],
  ['cr', 'rc'],
]);
/** Short names count only before a digit: `1a1` is an alpha, `1a` is not. */
const SHORT = new Map([
  ['a', 'alpha'],
  ['b', 'beta'],
  ['m', 'milestone'],
]);

export const mavenOrder: Order = orderOf(
  (text) => (/^[A-Za-z0-9][A-Za-z0-9._+-]*$/.test(text) ? itemsOf(text.toLowerCase()) : null),
  (a, b) => compareItems(a, b),
);

/** Known words go by their place in the list, other words follow by the alphabet. */
function rankOf(word: string): string {
  const known = QUALIFIERS.indexOf(word);
  return known < 0 ? `${QUALIFIERS.length}-${word}` : String(known);
}

const isDigit = (sign: string | undefined): boolean => sign !== undefined && sign >= '0' && sign <= '9';

const wordItem = (word: string): Item => ({ kind: 'word', rank: rankOf(ALIASES.get(word) ?? word) });

/** The lists of a version, from the outermost to the innermost. */
class Lists {
  private readonly all: Item[][] = [[]];

  add(item: Item): void {
    this.innermost().push(item);
  }

  /** Begins a list inside of the innermost one. */
  open(): void {
    const items: Item[] = [];
    this.add({ kind: 'list', items });
    this.all.push(items);
  }

  /** Begins a list for a word, unless it would be the first item of its list anyway. */
  openForWord(): void {
    if (this.innermost().length > 0) this.open();
  }

  /** Removes zeros and releases at the end of each list, from the innermost outwards. */
  closed(): readonly Item[] {
    for (const items of this.all.toReversed()) {
      for (let index = items.length - 1; index >= 0; index--) {
        const item = items[index];
        if (item === undefined || isNothing(item)) items.splice(index, 1);
        else if (item.kind !== 'list') break;
      }
    }
    return this.all[0] ?? [];
  }

  private innermost(): Item[] {
    return this.all.at(-1) ?? [];
  }
}

/** Splits a version at dots, at dashes, and where digits and letters meet. A word after a dot counts like one after a dash. */
function itemsOf(text: string): readonly Item[] {
  const lists = new Lists();
  let start = 0;
  let inDigits = false;
  const add = (end: number): void => {
    const part = text.slice(start, end);
    lists.add(part === '' || inDigits ? { kind: 'number', digits: part } : wordItem(part));
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === '.' || sign === '-') {
      add(at);
      start = at + 1;
      if (sign === '-') lists.open();
      continue;
    }
    if (isDigit(sign) !== inDigits && at > start) {
      if (inDigits) {
        add(at);
      } else {
        const word = text.slice(start, at);
        lists.openForWord();
        lists.add(wordItem(SHORT.get(word) ?? word));
      }
      start = at;
      lists.open();
    }
    inDigits = isDigit(sign);
  }
  if (text.length > start) {
    if (!inDigits) lists.openForWord();
    add(text.length);
  }
  return lists.closed();
}

function isNothing(item: Item): boolean {
  switch (item.kind) {
    case 'number':
      return /^0*$/.test(item.digits);
    case 'word':
      return item.rank === RELEASE;
    case 'list':
      return item.items.length === 0;
  }
}

function compareItems(a: readonly Item[], b: readonly Item[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const [left, right] = [a[index], b[index]];
    const found = left === undefined ? -compareItem(right, undefined) : compareItem(left, right);
    if (found !== 0) return found;
  }
  return 0;
}

/** Of different kinds, words are least, then lists, then numbers. */
const CLASSES = { word: 0, list: 1, number: 2 };

function compareItem(a: Item | undefined, b: Item | undefined): number {
  if (a === undefined) return 0;
  if (b === undefined) return compareToNothing(a);
  if (a.kind === 'list' && b.kind === 'list') return compareItems(a.items, b.items);
  if (a.kind === 'number' && b.kind === 'number') return compareDigits(a.digits, b.digits);
  if (a.kind === 'word' && b.kind === 'word') return compareTexts(a.rank, b.rank);
  return CLASSES[a.kind] - CLASSES[b.kind];
}

function compareToNothing(item: Item): number {
  switch (item.kind) {
    case 'number':
      return isNothing(item) ? 0 : 1;
    case 'word':
      return compareTexts(item.rank, RELEASE);
    case 'list':
      return item.items.map((inner) => compareToNothing(inner)).find((found) => found !== 0) ?? 0;
  }
}
