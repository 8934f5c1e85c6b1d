import { asInteger } from '../values/decimal.ts';
import { isArray, isNumber, RegoObject, RegoSet, type Value } from '../values/value.ts';

/** Returns `collection[key]`: an element by index, a value by key, a member by itself. Otherwise undefined. */
export function lookup(collection: Value, key: Value): Value | undefined {
  if (collection instanceof RegoObject) return collection.get(key);
  if (isArray(collection)) {
    if (typeof key === 'number') return collection[key];
    const index = isNumber(key) ? asInteger(key) : null;
    return index === null ? undefined : collection[Number(index)];
  }
  return collection instanceof RegoSet && collection.has(key) ? key : undefined;
}
