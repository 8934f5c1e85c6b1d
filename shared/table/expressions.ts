import type { Condition } from './table.ts';

/**
 * Conditions and changes of writes as values. The database gets every name and every value by a placeholder, so an
 * attribute may have a reserved word as its name.
 */

/** Values by attribute, or by path inside of an attribute: `progress.hash`, `files[2].sha256`. */
type Values = Readonly<Record<string, unknown>>;

/** One term of a condition. Returns the text of the term. */
export type Term = (placeholders: Placeholders) => string;

class Placeholders {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, unknown> = {};

  ofPath(path: string): string {
    return path.replaceAll(/[A-Za-z_]\w*/g, (name) => {
      this.names[`#${name}`] = name;
      return `#${name}`;
    });
  }

  of(value: unknown): string {
    const placeholder = `:v${Object.keys(this.values).length}`;
    this.values[placeholder] = value;
    return placeholder;
  }
}

const comparison =
  (operator: string) =>
  (values: Values): Term =>
  (placeholders) =>
    Object.entries(values)
      .map(([path, value]) => `${placeholders.ofPath(path)} ${operator} ${placeholders.of(value)}`)
      .join(' AND ');

/** Each attribute has its value. No comparison but {@link different} holds for an absent attribute. */
export const equal = comparison('=');
export const below = comparison('<');
export const atMost = comparison('<=');
export const above = comparison('>');
/** Each attribute has another value, or is absent. */
export const different = comparison('<>');

/** The attributes of a record have the values that the writer read. */
export const unchanged = <R extends object>(read: R, ...attributes: (keyof R & string)[]): Term =>
  equal(Object.fromEntries(attributes.map((attribute) => [attribute, read[attribute]])));

const existence =
  (test: string) =>
  (path?: string): Term =>
  (placeholders) =>
    `${test}(${path === undefined ? 'pk' : placeholders.ofPath(path)})`;

/** The item exists or, if a path is given, has a value at the path. */
export const exists = existence('attribute_exists');
/** The item does not exist or, if a path is given, has no value at the path. */
export const absent = existence('attribute_not_exists');

/** At least one of the terms holds. */
export const either =
  (...terms: readonly Term[]): Term =>
  (placeholders) =>
    `(${terms.map((term) => term(placeholders)).join(' OR ')})`;

/** Returns the condition of a put, a removal or a check: every term holds. */
export function onlyIf(...terms: readonly [Term, ...Term[]]): Condition {
  const placeholders = new Placeholders();
  return { ConditionExpression: conditionOf(terms, placeholders), ...attributesOf(placeholders) };
}

/** Changes of the attributes of an item. */
export interface Changes {
  set?: Values;
  /** Values for attributes that are absent. Attributes that have a value keep it. */
  setOnce?: Values;
  /**
   * Attributes that get the value which another attribute had before the update, by the name of the attribute that
   * changes. A value that is absent counts as zero.
   */
  copy?: Readonly<Record<string, string>>;
  /**
   * Sums of what an attribute had before the update and a number, by the path that gets the sum. Unlike `add`, the path can be a
   * place in a list, and another attribute than the first term.
   */
  sum?: Readonly<Record<string, readonly [attribute: string, number: number]>>;
  /** Numbers to add to numbers, or sets to add to sets. An absent attribute counts as zero or as an empty set. */
  add?: Values;
  remove?: readonly string[];
}

/** Returns the expressions of an update: the changes, on condition that every term holds. */
export function change(
  { set = {}, setOnce = {}, copy = {}, sum = {}, add = {}, remove = [] }: Changes,
  ...terms: readonly Term[]
): { UpdateExpression: string } & Partial<Condition> {
  const placeholders = new Placeholders();
  const each = (values: Values, write: (path: string, value: string) => string) =>
    Object.entries(values).map(([path, value]) => write(placeholders.ofPath(path), placeholders.of(value)));
  const clauses = {
    SET: [
      ...each(set, (path, value) => `${path} = ${value}`),
      ...each(setOnce, (path, value) => `${path} = if_not_exists(${path}, ${value})`),
      ...copies(copy, placeholders),
      ...Object.entries(sum).map(
        ([path, [attribute, number]]) =>
          `${placeholders.ofPath(path)} = ${placeholders.ofPath(attribute)} + ${placeholders.of(number)}`,
      ),
    ],
    ADD: each(add, (path, value) => `${path} ${value}`),
    REMOVE: remove.map((path) => placeholders.ofPath(path)),
  };
  return {
    UpdateExpression: Object.entries(clauses)
      .filter(([, parts]) => parts.length > 0)
      .map(([verb, parts]) => `${verb} ${parts.join(', ')}`)
      .join(' '),
    ...(terms.length > 0 && { ConditionExpression: conditionOf(terms, placeholders) }),
    ...attributesOf(placeholders),
  };
}

function copies(copy: Readonly<Record<string, string>>, placeholders: Placeholders): string[] {
  const listed = Object.entries(copy);
  if (listed.length === 0) return [];
  const zero = placeholders.of(0);
  return listed.map(
    ([to, from]) => `${placeholders.ofPath(to)} = if_not_exists(${placeholders.ofPath(from)}, ${zero})`,
  );
}

const conditionOf = (terms: readonly Term[], placeholders: Placeholders): string =>
  terms.map((term) => term(placeholders)).join(' AND ');

/** The database refuses empty maps. */
const attributesOf = ({ names, values }: Placeholders): Omit<Condition, 'ConditionExpression'> => ({
  ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
  ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
});
