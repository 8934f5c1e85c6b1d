import { LRUCache } from 'lru-cache';

/** Characters that all remembered values may take together. A parsed text takes about five times its length. */
const BUDGET = 16 * 1024 * 1024;
/** Characters that every entry counts beside its own: for its key, and since a short text may be parsed to much. */
const OVERHEAD = 1_000;

/** The one memory of a process for what never changes, or is checked before it is believed. It has no time limit. */
const entries = new LRUCache<string, object | string>({ maxSize: BUDGET });

/** The part of a process's memory that holds the values of one kind. The values are shared: nobody may change them. */
export interface Memory<V> {
  get(key: string): V | undefined;
  /** @param size characters of the text that the value was made of. A value above the budget is not remembered. */
  set(key: string, value: V, size?: number): void;
  forget(key: string): void;
}

/**
 * Gives access to the values of one kind. When the budget is used up, the least recently used values of all kinds leave
 * first.
 * @param kind tells the keys of different callers apart
 */
export function memoryOf<V extends object | string>(kind: string): Memory<V> {
  const keyOf = (key: string) => `${kind} ${key}`;
  return {
    get: (key) => entries.get(keyOf(key)) as V | undefined,
    set: (key, value, size = 0) => void entries.set(keyOf(key), value, { size: size + OVERHEAD }),
    forget: (key) => void entries.delete(keyOf(key)),
  };
}
