/** Changes of JSON values that follow from the values alone. */

/** A step into a value: a member, an element, or the JSON document that a string holds. */
export type Step = string | number | typeof INSIDE;
const INSIDE: unique symbol = Symbol('the JSON document in a string');

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A value inside of a record. */
export interface Found {
  steps: readonly Step[];
  /** The steps as text, with one sign for all elements of an array: `files[].sha256`. */
  path: string;
  value: Json;
}

const isObject = (value: Json | undefined): value is { [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the document that a string holds; undefined for other strings. */
function documentIn(value: Json): Json | undefined {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return undefined;
  try {
    return JSON.parse(value) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns every value inside of a value, itself not included. */
export function valuesIn(value: Json, steps: readonly Step[] = [], path = ''): Found[] {
  const document = documentIn(value);
  const inner: [Step, string, Json][] =
    document !== undefined
      ? [[INSIDE, `${path}{}`, document]]
      : Array.isArray(value)
        ? value.map((element, i): [Step, string, Json] => [i, `${path}[]`, element])
        : isObject(value)
          ? Object.entries(value).map(([name, member]): [Step, string, Json] => [name, `${path}.${name}`, member])
          : [];
  return inner.flatMap(([step, deeper, one]) => {
    const found: Found = { steps: [...steps, step], path: deeper, value: one };
    return [found, ...valuesIn(one, found.steps, deeper)];
  });
}

/** Returns the value at a place; undefined if there is none. */
export function valueAt(value: Json | undefined, [step, ...rest]: readonly Step[]): Json | undefined {
  if (step === undefined || value === undefined) return value;
  if (step === INSIDE) return valueAt(documentIn(value), rest);
  if (Array.isArray(value)) return valueAt(value[Number(step)], rest);
  return isObject(value) ? valueAt(value[String(step)], rest) : undefined;
}

/** Puts another value at a place; `undefined` removes it. @returns a copy */
export function withValue(value: Json, [step, ...rest]: readonly Step[], other: Json | undefined): Json | undefined {
  if (step === undefined) return other;
  if (step === INSIDE) {
    const document = withValue(documentIn(value) ?? null, rest, other);
    return document === undefined ? undefined : JSON.stringify(document);
  }
  if (Array.isArray(value)) {
    const changed = withValue(value[Number(step)] ?? null, rest, other);
    return value.flatMap((element, i) => (i !== step ? [element] : changed === undefined ? [] : [changed]));
  }
  if (!isObject(value)) throw new Error(`There is no member ${String(step)} in ${JSON.stringify(value)}`);
  const name = String(step);
  const changed = withValue(value[name] ?? null, rest, other);
  if (changed !== undefined) return { ...value, [name]: changed };
  return Object.fromEntries(Object.entries(value).filter(([one]) => one !== name));
}

/** Whether a value stands in the JSON document of a string. */
export const isInDocument = ({ steps }: Found): boolean => steps.includes(INSIDE);

/** What a value becomes, with a word for it; `undefined` stands for its removal. */
export type Replacement = [what: string, value: Json | undefined];

/**
 * Returns the changes of a value.
 * @param others values that stand at the same place of other records of the same kind
 */
export function replacementsOf(value: Json, others: readonly Json[]): Replacement[] {
  const other = others.find((one) => JSON.stringify(one) !== JSON.stringify(value));
  return [
    ['removed', undefined],
    ...(other !== undefined ? ([['replaced by a value of another record', other]] satisfies Replacement[]) : []),
    ...(value !== null ? ([['set to null', null]] satisfies Replacement[]) : []),
    ...ofType(value),
  ];
}

function ofType(value: Json): Replacement[] {
  if (value === null) return [['filled', 'x']];
  if (typeof value === 'boolean') return [['turned', !value]];
  if (typeof value === 'number') return [['counted up', value + 1], ...(value === 0 ? [] : zero)];
  if (typeof value === 'string') return ofText(value);
  if (Array.isArray(value)) return ofArray(value);
  return [
    ['given a member', { ...value, added: true }],
    ...(Object.keys(value).length > 0 ? ([['emptied', {}]] satisfies Replacement[]) : []),
  ];
}

const zero: Replacement[] = [['set to zero', 0]];

function ofText(text: string): Replacement[] {
  const last = text.at(-1) ?? '';
  const emptied: Replacement[] = text === '' ? [] : [['emptied', '']];
  if (/^[0-9a-f]{8,}$/.test(text)) return [['changed', text.slice(0, -1) + (last === '0' ? '1' : '0')], ...emptied];
  const time = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return [['made later', new Date(time + 1000).toISOString()], ...emptied];
  return [['changed', `${text}x`], ...emptied];
}

function ofArray([first, second, ...rest]: readonly Json[]): Replacement[] {
  if (first === undefined) return [['given an element', ['x']]];
  const all = second === undefined ? [first] : [first, second, ...rest];
  return [
    ['emptied', []],
    ['given an element twice', [first, ...all]],
    ...(second !== undefined && JSON.stringify(first) !== JSON.stringify(second)
      ? ([['put into another order', [second, first, ...rest]]] satisfies Replacement[])
      : []),
  ];
}
