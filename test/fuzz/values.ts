import * as fc from 'fast-check';
import { ENVIRONMENT_KINDS } from '#shared/environments/rules/environment-kinds.ts';
import { type Document, resolve, type Schema } from './document.ts';

/** Placeholder for an id from an earlier answer; it is replaced when the request is sent. */
export const KNOWN_ID = /0192f3a4-b5c6-4d7e-8f90-000000([0-9]{2})/g;
const knownIds = Array.from({ length: 20 }, (_, i) => `0192f3a4-b5c6-4d7e-8f90-000000${i + 10}`);

/** The name of every resource that the prelude makes. */
export const NAME = 'web';
export const FINGERPRINT = 'ab'.repeat(32);
export const COMMIT = 'cd'.repeat(20);

/** Kinds of environments, and at the same time the names of the environments that the prelude makes of each kind. */
export const ENVIRONMENTS = Object.keys(ENVIRONMENT_KINDS);

/** Values that have a meaning for some endpoint. A field uses those that its schema allows. */
const MEANINGFUL = [
  ...[NAME, NAME, NAME, 'api', `${NAME}@1`, `${NAME}#1`, `${NAME}.${NAME}`, '1', '2', 'latest', '#1', '~1'],
  ...[FINGERPRINT, FINGERPRINT, 'ef'.repeat(32), COMMIT, COMMIT, 'https://hooks.example/x', 'ann@example.com'],
  ...['.tests == 0', 'custom:web', 'generic', '@{2026-01-01T00:00:00}', '1..', '1..NOW', ...knownIds.slice(0, 4)],
];

/** Texts that often break services: quotes, control characters, lone surrogates, paths, formats, large sizes. */
export const HOSTILE: readonly string[] = [
  ...[
    '',
    ' ',
    '\0',
    '\n',
    '\t\r',
    '\u0000a',
    '\ud800',
    '\udfff\ud800',
    '\u202e',
    '\ufeff',
    'e\u0301',
    'é',
    '𝒳',
    '👩‍👩‍👧',
  ],
  ...[
    "'",
    '"',
    '`',
    '\\',
    '\\u0000',
    '%',
    '%00',
    '%2f',
    '%zz',
    '#',
    '##',
    '@',
    '~',
    '..',
    '../..',
    '/',
    'a/b',
    '//',
    ':',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '$ref',
    '{}',
    '[]',
    '{{x}}',
    '$(x)',
    '<script>x</script>',
  ],
  ...["' OR 1=1 --", 'null', 'undefined', 'true', 'NaN', 'Infinity', '-1', '0', '1e308', '9'.repeat(400), '0x10', '01'],
  ...['2026-02-30', '@{2026-99-99T99:99:99}', '@{99999999999.years.ago}', '~99999999999999999999', '#0', '#-1', '1..0'],
  ...['a'.repeat(256), 'a'.repeat(1025), 'é'.repeat(1100), `${NAME}\u0000`, `${NAME} `, `${NAME}#1#2`, `@ORG#${NAME}`],
];
/** Texts that the service has to store in the bucket. */
const LONG = ['a'.repeat(40_000), 'é'.repeat(210_000), '"'.repeat(300_000)];

const NUMBERS = [
  ...[0, -0, 1, -1, 0.1, 1e-7, 2 ** 31, 2 ** 53, 2 ** 53 + 2, -(2 ** 53), 1e21, 1e126, -1e130, 5e-324, 1.7e308],
  ...[1_776_252_244, 1_776_252_244.123456, 253_402_300_800, 8.64e15],
];

const hostileText = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom(...LONG) },
);

const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let i = 0; i < depth; i += 1) value = i % 2 === 0 ? [value] : { a: value };
  return value;
};

/** Any JSON value. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: hostileText },
  { weight: 4, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 3, arbitrary: fc.constantFrom(null, true, false, [], {}, [null], [[]], [{}], { '': '' }) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(10, 60, 100, 500).map(nested) },
);

/** Keys that no schema declares. */
const EXTRA_KEYS = ['extra', 'constructor', 'toString', '', 'a.b', '$ref', 'ключ', 'id', 'pk', 'k'.repeat(300)];

/** Whether generated values match their schema: always, or at each level most of the time. */
export type Validity = 'valid' | 'wild';

/** Place of a value: its field name and its depth. */
interface Place {
  name?: string;
  depth?: number;
}

/** At this depth, the values of recursive schemas end. */
const DEEPEST = 6;

/** Generates values for schemas. */
export class Values {
  readonly #document: Document;
  constructor(document: Document) {
    this.#document = document;
  }

  /** Generates values that match a schema. If `wild`, any part of a value may be any JSON value. */
  of(given: Schema, validity: Validity, { name = '', depth = 0 }: Place = {}): fc.Arbitrary<unknown> {
    if (depth > DEEPEST) return fc.constant(null);
    const schema = resolve(this.#document, given);
    const fitting = this.#fitting(schema, validity, { name, depth });
    if (validity === 'valid') return fitting;
    return fc.oneof({ weight: 12, arbitrary: fitting }, { weight: 1, arbitrary: anything });
  }

  #fitting(schema: Schema, validity: Validity, place: Required<Place>): fc.Arbitrary<unknown> {
    if ('const' in schema) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const forms = schema.anyOf ?? schema.oneOf;
    if (schema.type === 'object' && schema.properties && (forms || schema.allOf)) {
      return fc.oneof(...formsOf(schema).map((form) => this.#fitting(form, validity, place)));
    }
    if (forms) return fc.oneof(...forms.map((form) => this.of(form, validity, place)));
    if (schema.allOf) return this.of(schema.allOf[0] ?? {}, validity, place);
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
    switch (type) {
      case 'string':
        return text(schema, place.name);
      case 'integer':
      case 'number':
        return number(schema, type, place.name);
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array':
        return this.#list(schema, validity, place);
      case 'object':
        return this.#object(schema, validity, place);
      default:
        return fc.jsonValue({ maxDepth: 2 });
    }
  }

  #list(
    { items = {}, minItems = 0, maxItems }: Schema,
    validity: Validity,
    { name, depth }: Required<Place>,
  ): fc.Arbitrary<unknown> {
    const most = Math.min(maxItems ?? 4, Math.max(minItems, depth > 4 ? 1 : 4));
    return fc.array(this.of(items, validity, { name, depth: depth + 1 }), { minLength: minItems, maxLength: most });
  }

  #object(schema: Schema, validity: Validity, { name: whole, depth }: Required<Place>): fc.Arbitrary<unknown> {
    const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
    const fields = Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, this.of(field, validity, { name, depth: depth + 1 })]),
    );
    const leaveOut = validity === 'wild' && depth < 3;
    const declared = fc.oneof(
      { weight: 9, arbitrary: fc.record(fields, { requiredKeys: required.filter((name) => name in fields) }) },
      ...(leaveOut ? [{ weight: 1, arbitrary: fc.record(fields, { requiredKeys: [] }) }] : []),
    );
    const open = typeof additionalProperties === 'object' && depth < 5;
    const keys = open
      ? this.of(propertyNames ?? { type: 'string' }, 'valid', { name: `keys of ${whole}` })
      : fc.constantFrom(...EXTRA_KEYS);
    const values = open ? this.of(additionalProperties, validity, { name: whole, depth: depth + 1 }) : anything;
    if (!open && validity === 'valid') return declared;
    const more = fc.dictionary(keys.map(String), values, { maxKeys: open ? 3 : 1, noNullPrototype: true });
    const extended = fc.tuple(declared, more).map(([one, other]) => ({ ...one, ...other }));
    return open ? extended : fc.oneof({ weight: 14, arbitrary: declared }, { weight: 1, arbitrary: extended });
  }
}

/** Applies to an object the rules about several of its fields: one object schema for each way to keep them. */
function formsOf({ anyOf, allOf, ...object }: Schema): Schema[] {
  const groups = [...(anyOf ? [anyOf] : []), ...(allOf ?? []).flatMap((rule) => (rule.anyOf ? [rule.anyOf] : []))];
  return groups.reduce<Schema[]>(
    (made, group) => made.flatMap((schema) => group.map((form) => constrained(schema, form))),
    [object],
  );
}

const constrained = (schema: Schema, { properties = {}, required = [] }: Schema): Schema => ({
  ...schema,
  required: [...(schema.required ?? []), ...required],
  properties: {
    ...schema.properties,
    ...Object.fromEntries(
      Object.entries(properties).map(([name, rule]) => [name, narrowed(schema.properties?.[name] ?? {}, rule)]),
    ),
  },
});

/** The schema of a field under a rule: without null, or empty, or with the keywords of the rule. */
function narrowed(field: Schema, rule: Schema): Schema {
  if (rule.maxItems === 0) return rule;
  if (field.anyOf && typeof rule.type === 'string') return { anyOf: field.anyOf.filter(({ type }) => type !== 'null') };
  return { ...field, ...rule };
}

/** Returns values of existing resources that fit the name of a field. */
function valuesByName(name: string): readonly string[] {
  if (name === 'files') return ['package policy\n\nallow := true\n'];
  if (name === 'keys of files') return ['policy.rego'];
  if (/webhook|url|href/.test(name)) return ['https://hooks.example/x'];
  if (name === 'secret') return [`whsec_${'A'.repeat(32)}`];
  if (/finger|artifact_id/.test(name)) return [FINGERPRINT];
  if (/sha|commit/.test(name)) return [COMMIT, FINGERPRINT];
  if (name === 'resource_id') return [NAME];
  if (/(^|_)ids?$/.test(name)) return [NAME, ...knownIds];
  if (/number|^n$|version/.test(name)) return ['1', '1', '2'];
  if (/^env/.test(name)) return [...Array<string>(8).fill(NAME), ...ENVIRONMENTS];
  if (/snappish|snapshot/.test(name)) return ['1', 'latest', `${NAME}#1`, NAME];
  if (/name|flow|trail|identifier|policy|user/.test(name)) return [NAME, NAME, NAME, 'api'];
  return [];
}

/** Texts by the pattern that they match. Many fields have the same pattern, and making such an arbitrary takes long. */
const matchingTexts = new Map<string, fc.Arbitrary<string>>();

function matching(rule: RegExp): fc.Arbitrary<string> {
  const texts = matchingTexts.get(rule.source) ?? fc.stringMatching(rule, { size: 'small' });
  matchingTexts.set(rule.source, texts);
  return texts;
}

function text({ pattern, minLength = 0, maxLength, format }: Schema, name: string): fc.Arbitrary<string> {
  const rule = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  const longest = maxLength ?? Number.POSITIVE_INFINITY;
  const fits = (value: string) =>
    (rule?.test(value) ?? true) && [...value].length >= minLength && [...value].length <= longest;
  const meant = valuesByName(name).filter(fits);
  const known = meant.length > 0 ? meant : MEANINGFUL.filter(fits);
  const made =
    format === 'email'
      ? fc.constant('ann@example.com')
      : rule
        ? matching(rule)
        : fc.string({ minLength, maxLength: Math.max(minLength, Math.min(longest, 30)) });
  return known.length === 0
    ? made
    : fc.oneof(
        { weight: meant.length > 0 ? 12 : 4, arbitrary: fc.constantFrom(...known) },
        { weight: 1, arbitrary: made },
      );
}

function number({ minimum, maximum }: Schema, type: 'integer' | 'number', name: string): fc.Arbitrary<number> {
  const counted = /number|^n$/.test(name) ? Array<number>(16).fill(1) : [];
  const within = (value: number) => value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity);
  const known = [...counted, 1, 2, 3, 10, 1_776_252_244, ...NUMBERS].filter(
    (value) => within(value) && (type === 'number' || Number.isSafeInteger(value)),
  );
  const bounds = { min: Math.ceil(minimum ?? -1000), max: Math.floor(maximum ?? 2_000_000_000) };
  const some = fc.integer(bounds);
  return known.length === 0 ? some : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...known) }, some);
}
