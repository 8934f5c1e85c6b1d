import { LRUCache } from 'lru-cache';

/**
 * Limit of the characters of all remembered values. A parsed text takes about five times the memory of its characters.
 */
const BUDGET = 16 * 1024 * 1024;
/** Characters added to the size of each entry, for its key and because a short text can become a large value. */
const OVERHEAD = 1_000;

/** The only memory of a process. It holds values that never change or are checked before use, and has no time limit. */
const entries = new LRUCache<string, object | string>({ maxSize: BUDGET });

/** The part of the memory for values of one kind. The values are shared, so nobody may change them. */
export interface Memory<V> {
  get(key: string): V | undefined;
  /** @param size characters of the text that the value was parsed from. A value above the limit is not remembered. */
  set(key: string, value: V, size?: number): void;
  forget(key: string): void;
}

/**
 * Returns the part of the memory for one kind of values. At the limit, the least recently used values of all kinds are
 * dropped first.
 * @param kind separates the keys of different callers
 */
export function memoryOf<V extends object | string>(kind: string): Memory<V> {
  const keyOf = (key: string) => `${kind} ${key}`;
  return {
    // The kind is part of the key, and each kind has one type of values.
    get: (key) => entries.get(keyOf(key)) as V | undefined,
    set: (key, value, size = 0) => void entries.set(keyOf(key), value, { size: size + OVERHEAD }),
    forget: (key) => void entries.delete(keyOf(key)),
  };
}
