import type { Item } from '#shared/table/table.ts';
import { type Json, replacementsOf } from './json-changes.ts';

/** One change of a stored item. */
export interface ItemChange {
  /** Family of the item, and the form of its sort key. */
  kind: string;
  what: string;
  before: Item;
  /** Null: the item is removed. */
  after: Item | null;
}

/** The kind of an item: its family, and the words of its sort key. Ids, numbers and names are one sign. */
export function kindOfItem({ pk, sk }: Item): string {
  const family = pk.split('#').find((part) => /^@?[A-Z]{2,}$/.test(part)) ?? pk;
  const words = sk.split('#').map((part) => (/^[A-Z]{1,12}$/.test(part) ? part : '*'));
  return `${family} ${words.join('#')}`;
}

/** Derives changes of items: of each kind the removal of one item, and one change of each place inside. */
export function changesOfItems(items: readonly Item[]): ItemChange[] {
  return [...Map.groupBy(items, kindOfItem)].flatMap(([kind, all]) => {
    const places = new Map<string, { item: Item; steps: readonly (string | number)[]; value: unknown }>();
    for (const item of all) {
      for (const found of placesIn(attributesOf(item))) {
        if (!places.has(found.path)) places.set(found.path, { item, ...found });
      }
    }
    const [first] = all;
    return [
      ...(first ? [{ kind, what: 'removed', before: first, after: null }] : []),
      ...[...places].map(([path, { item, steps, value }]) => ({
        kind,
        what: `${path} changed`,
        before: item,
        after: withAttribute(item, steps, changed(value)) as Item,
      })),
    ];
  });
}

/** Key and expiry are no attributes of a record. */
const attributesOf = ({ pk: _pk, sk: _sk, ttl: _ttl, ...attributes }: Item): Record<string, unknown> => attributes;

interface Place {
  path: string;
  steps: readonly (string | number)[];
  value: unknown;
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Returns the values without members of their own, with their places. */
function placesIn(value: unknown, path = '', steps: readonly (string | number)[] = []): Place[] {
  const inner: [string | number, string, unknown][] = Array.isArray(value)
    ? value.slice(0, 1).map((one): [number, string, unknown] => [0, `${path}[]`, one])
    : isMap(value)
      ? Object.entries(value).map(([name, one]): [string, string, unknown] => [name, `${path}.${name}`, one])
      : [];
  if (inner.length === 0) return path === '' ? [] : [{ path, steps, value }];
  return inner.flatMap(([step, deeper, one]) => placesIn(one, deeper, [...steps, step]));
}

function withAttribute(value: unknown, [step, ...rest]: readonly (string | number)[], other: unknown): unknown {
  if (step === undefined) return other;
  if (Array.isArray(value)) return value.map((one: unknown, i) => (i === step ? withAttribute(one, rest, other) : one));
  if (!isMap(value)) throw new Error(`There is no attribute ${step}`);
  return { ...value, [step]: withAttribute(value[step], rest, other) };
}

/** Returns another value of the same type. */
function changed(value: unknown): unknown {
  if (value instanceof Uint8Array)
    return Uint8Array.from(value, (byte, i) => (i === value.length - 1 ? byte ^ 1 : byte));
  if (value instanceof Set) return new Set([...value].map((one) => (typeof one === 'string' ? `${one}x` : one)));
  const changes = replacementsOf(value as Json, []).filter(([what]) => !/^removed|^set|^emptied/.test(what));
  return changes.at(-1)?.[1] ?? 'x';
}
