/** What was verified, in the order in which it is printed. */
export type Counts = Record<string, string | number>;
