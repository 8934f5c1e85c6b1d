/** What a column is ordered by. Rows without a value come last, in both directions. */
export type SortValue = string | number | null | undefined;

export interface Order {
  /** The heading of the column. */
  head: string;
  isDescending: boolean;
}

/** Reads the order in an address: `Since`, or `-Since` for the highest first. */
export const orderFrom = (text: string | undefined): Order | undefined => {
  if (text === undefined || text === '' || text === '-') return undefined;
  return text.startsWith('-') ? { head: text.slice(1), isDescending: true } : { head: text, isDescending: false };
};

/** The order after a press on the heading of a column: ascending, descending, then that of the service again. */
export function nextOrder(present: Order | undefined, head: string): string | undefined {
  if (present?.head !== head) return head;
  return present.isDescending ? undefined : `-${head}`;
}

/** How the service orders a list by a column. `sort` in the address is the name of the order, or `-` and the name for the reverse. */
export interface ServerOrder {
  by: string;
  /** The direction of the order that has no `-`. */
  begins: 'ascending' | 'descending';
  /** Whether the list has this order without a choice. */
  isUsual?: boolean;
}

/**
 * Returns the direction of a column, and what `sort` in the address becomes after a press on its heading: its order, the
 * reverse, then the usual order of the list.
 *
 * @param sort what the address says
 */
export function serverOrder(
  { by, begins, isUsual = false }: ServerOrder,
  sort: string | undefined,
): { direction: 'ascending' | 'descending' | 'none'; next: string | undefined } {
  const reverse = begins === 'ascending' ? 'descending' : 'ascending';
  if (sort === `-${by}`) return { direction: reverse, next: undefined };
  if (sort === by || (sort === undefined && isUsual)) return { direction: begins, next: `-${by}` };
  return { direction: 'none', next: isUsual ? undefined : by };
}

/** The rows by one of their values. Rows with the same value keep their order. */
export function ordered<R>(rows: readonly R[], value: (row: R) => SortValue, isDescending: boolean): R[] {
  const sign = isDescending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [value(one) ?? null, value(other) ?? null];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * compared(a, b);
  });
}

const compared = (a: string | number, b: string | number): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en', { numeric: true });
