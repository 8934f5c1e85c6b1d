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
