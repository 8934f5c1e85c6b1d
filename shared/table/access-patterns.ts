import * as z from 'zod';

/** A key for placeholders: a whole key, or a partition that is read in order. */
const Example = z.union([z.object({ pk: z.string(), sk: z.string() }), z.string()]);
export type Example = z.infer<typeof Example>;

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

/** A row of an export: the arguments that make the example, none for a constant; or the example itself, if the key has a hash. */
type Row<M> = {
  [K in keyof M & string]: [
    question: string,
    key: K,
    placeholders: (M[K] extends (...args: infer A) => unknown ? A : []) | Example,
    cost: string,
  ];
}[keyof M & string];

/** Builds rows of access patterns for the exports of a module. A name that the module does not export does not compile. */
export const patternsOf =
  <M extends object>(keys: M) =>
  (family: string, ...patterns: Row<M>[]): AccessPattern[] =>
    patterns.map(([question, key, placeholders, cost]) => {
      const example = exampleOf(keys[key], placeholders);
      return { family, question, key, example, cost };
    });

function exampleOf(key: unknown, placeholders: unknown): Example {
  if (!Array.isArray(placeholders)) return Example.parse(placeholders);
  return Example.parse(typeof key === 'function' ? key(...placeholders) : key);
}
