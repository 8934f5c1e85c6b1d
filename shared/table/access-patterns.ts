/** A key for placeholders: a whole key, or a partition that is read in order. */
export type Example = { pk: string; sk: string } | string;

/** One question to the single table, and the key that answers it. */
export interface AccessPattern {
  family: string;
  question: string;
  /** Name of the function or constant that makes the key, in `keys.ts` of the room. */
  key: string;
  example: Example;
  /**
   * Cost of an answer. Reads are strongly consistent; an item of up to 4 KB costs one unit (rules/storage.md#units).
   */
  cost: string;
}

export const ONE = 'Get: 1 unit';
export const RANGE = 'Query: 1 unit per 4 KB of the range';
/** Reads of many partitions: rules/storage.md#many-partitions. */
export const EACH = 'Query; for many, a statement per 50 partitions: 1 unit per 4 KB of each';
export const BATCH = 'BatchGet: 1 unit per item of a page';
export const WRITE = 'Put, Update or Query of the relay; no request waits for it';

type Row<K> = [question: string, key: K, example: Example, cost: string];

/**
 * Builds rows of access patterns for the exports of a module. A name that the module does not export does not compile.
 */
export const patternsOf =
  <M extends object>(_keys: M) =>
  (family: string, ...patterns: Row<keyof M & string>[]): AccessPattern[] =>
    patterns.map(([question, key, example, cost]) => ({ family, question, key, example, cost }));
