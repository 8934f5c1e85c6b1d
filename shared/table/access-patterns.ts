import type { Key } from './table.ts';

/** One question that is asked of the single table, and the key that answers it. */
export interface AccessPattern {
  family: string;
  question: string;
  /** The function or constant that makes the key: in `keys.ts`, or in the keys of a theme beside it. */
  key: string;
  /** What it makes of placeholders: a whole key, or the partition that is read in order. */
  example: Key | string;
  /** What an answer costs: reads are strongly consistent, an item of up to 4 KB is one unit (design §5). */
  cost: string;
}

export const ONE = 'Get: 1 unit';
export const RANGE = 'Query: 1 unit per 4 KB of the range';
export const BATCH = 'BatchGet: 1 unit per item of a page';
export const WRITE = 'Put, Update or Query of the relay; no request waits for it';

type Row<K> = [question: string, key: K, example: Key | string, cost: string];

/** Makes rows of access patterns whose keys are exports of the module given: a key that is not there does not compile. */
export const patternsOf =
  <M extends object>(_keys: M) =>
  (family: string, ...patterns: Row<keyof M & string>[]): AccessPattern[] =>
    patterns.map(([question, key, example, cost]) => ({ family, question, key, example, cost }));
