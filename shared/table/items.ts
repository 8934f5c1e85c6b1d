export interface Key {
  pk: string;
  sk: string;
}

/** An item as stored. The modules of records parse it with their schema. */
export type Item = Key & Record<string, unknown>;

export interface Range {
  pk: string;
  /** Inclusive bounds of the sort key. A prefix is short for both. */
  from?: string;
  to?: string;
  prefix?: string;
  newestFirst?: boolean;
  /** Most items to read. Default: all items of the range. */
  limit?: number;
}
