import * as z from 'zod';
import type { Endpoint } from '#shared/http/endpoint.ts';

/** A text that does harm wherever it is not shown as text: as markup, as an address, by its direction, by its length. */
export const SHORT =
  'javascript:alert(1)//"\'><img src=x onerror=alert(2)><script>alert(3)</script>{{7*7}} \u202Egnp.exe\u2066 =cmd|1';
const LONG = `${SHORT}${'W'.repeat(4_000)}`;
/** What a field gets: the first of these texts that its schema accepts. */
const TEXTS = [LONG, SHORT, 'https://evil.example/%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E'] as const;
/** Names of fields, where the caller chooses them. */
const NAMES = ['__proto__', SHORT, 'constructor'] as const;

/** A document with names that exist on every object, with deep nesting, and with the texts above. */
const DOCUMENT: unknown = JSON.parse(
  `{"__proto__":{"toString":${JSON.stringify(SHORT)}},"constructor":${JSON.stringify(LONG)},"deep":${'['.repeat(60)}${']'.repeat(60)}}`,
);

/** A document of more than a megabyte. */
export const LARGE_DOCUMENT: unknown = {
  ...(DOCUMENT as object),
  rows: Array.from({ length: 9_000 }, (_, n) => ({ id: n, text: SHORT })),
};

export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
}

/** A place in a document: names of fields, `*` for a name that the caller chooses, `[]` for a new element of a list. */
export interface Field {
  path: readonly string[];
  takes: 'text' | 'document';
}

const TEXT_OF_PATH = (path: readonly string[]): string => path.join('.');

/** The fields of a schema that take a text, or any JSON. */
export function fieldsOf(schema: Schema, root: Schema, path: readonly string[] = [], depth = 0): Field[] {
  if (depth > 14) return [];
  const inner = (one: Schema, ...more: string[]) => fieldsOf(one, root, [...path, ...more], depth + 1);
  if (schema.$ref !== undefined) return inner(root.$defs?.[schema.$ref.replace('#/$defs/', '')] ?? {});
  if (schema.enum || schema.const !== undefined) return [];
  const { anyOf = [], oneOf = [], allOf = [], properties = {}, additionalProperties: others, items } = schema;
  const isAny = !schema.type && anyOf.length + oneOf.length + allOf.length === 0 && !schema.properties;
  return [
    ...(isAny ? [{ path, takes: 'document' as const }] : []),
    ...([schema.type].flat().includes('string') ? [{ path, takes: 'text' as const }] : []),
    ...[...anyOf, ...oneOf, ...allOf].flatMap((one) => inner(one)),
    ...Object.entries(properties).flatMap(([name, one]) => inner(one, name)),
    ...(typeof others === 'object' ? inner(others, '*') : []),
    ...(items ? inner(items, '[]') : []),
  ];
}

/** The document with a value at a place. Objects and lists on the way there are made. */
export function withValue(document: unknown, [step, ...rest]: readonly string[], key: string, value: unknown): unknown {
  if (step === undefined) return value;
  if (step === '[]') {
    const list = Array.isArray(document) ? document : [];
    if (rest.length === 0) return [...list, value];
    const at = list.findIndex((element) => typeof element === 'object');
    return at < 0
      ? [...list, withValue(undefined, rest, key, value)]
      : list.with(at, withValue(list[at], rest, key, value));
  }
  const name = step === '*' ? key : step;
  const fields = typeof document === 'object' && document !== null && !Array.isArray(document) ? document : {};
  const before = Object.hasOwn(fields, name) ? (fields as Record<string, unknown>)[name] : undefined;
  // A spread of `__proto__` keeps it as a field; an assignment would change the prototype.
  return Object.fromEntries([...Object.entries(fields), [name, withValue(before, rest, key, value)]]);
}

export interface HostileBody {
  document: unknown;
  /** The fields that got a hostile value. */
  filled: string[];
}

/**
 * Puts a hostile value into every field of an operation that accepts one, so that a field that is added later gets one, too.
 *
 * @param base the fields that other values would be refused for: names, references to records, numbers
 * @param kept fields, and all that is below them, that keep what the base has
 */
export function hostileBody({ operation, body }: Endpoint, base: unknown, kept: readonly string[] = []): HostileBody {
  if (body.kind !== 'json' && body.kind !== 'multipart') throw new Error(`${operation} takes no JSON`);
  const { schema } = body;
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
  let document = base;
  const filled: string[] = [];
  for (const { path, takes } of fieldsOf(root, root)) {
    const name = TEXT_OF_PATH(path);
    if (filled.includes(name) || kept.some((one) => name === one || name.startsWith(`${one}.`))) continue;
    const values = takes === 'document' ? [DOCUMENT, SHORT] : TEXTS;
    const keys = path.includes('*') ? NAMES : ([''] as const);
    const tried = values.flatMap((value) => keys.map((key) => withValue(document, path, key, value)));
    const accepted = tried.find((one) => schema.safeParse(one).success);
    if (accepted === undefined) continue;
    document = accepted;
    filled.push(name);
  }
  return { document, filled };
}
