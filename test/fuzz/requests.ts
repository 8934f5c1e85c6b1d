import * as fc from 'fast-check';
import { environmentKind } from '#shared/environments/rules/environment-kinds.ts';
import type { ApiRequest } from '#test/support/api.ts';
import { STRICT } from '#test/support/policies.ts';
import type { Document, Operation, Parameter } from './document.ts';
import { HOSTILE, NAME, type Validity, Values } from './values.ts';

/** The sender: a role of the organization, the admin of another organization, an unknown key, or no credential. */
export const CALLERS = ['admin', 'member', 'snapshotter', 'reader', 'stranger', 'unknown', 'nobody'] as const;
export type CallerKind = (typeof CALLERS)[number];

/** A request with placeholders for the organization and the ids, which are known only when it is sent. */
export interface PlannedRequest {
  operation: Operation;
  caller: CallerKind;
  /** Values of the path's parameters, decoded. */
  path: Record<string, string>;
  query: string;
  headers: Record<string, string>;
  body: PlannedBody;
}

export type PlannedBody = Pick<ApiRequest, 'text' | 'form' | 'bytes'>;

/** Placeholder in a path for the organization of the run. */
export const OWN_ORGANIZATION = '{own}';

/** The longest address in characters: below the gateway's limit for address and headers together. */
const LONGEST_ADDRESS = 6_000;

/** Bodies that match no schema or are not JSON. */
const RAW_BODIES = [
  ...['', 'null', '{', '[', '"x"', '1', 'tru', '{"a":1,"a":2}', '{"__proto__":{"name":"web"}}', '1e999', '{"a":1e999}'],
  ...['\ufeff{}', '{}\0', "{'a':1}", '{"a":"\\ud800"}', '{"a":"\\u0000"}', '[]', '-0', `"${'x'.repeat(70_000)}"`],
  ...['['.repeat(5_000), `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`, `{"name":"${NAME}"} {}`, '{"name":NaN}'],
];

const FILES = [
  ...['', ' ', '\0', 'version: 1\ntrail:\n  attestations:\n    - name: unit\n      type: generic\n', 'version: 1\n'],
  ...['version: 2\n', 'trail: [', 'a: &a [*a]\n', '- '.repeat(3_000), '{}', '{"type":"object"}', '{"$ref":"#"}'],
  ...['_schema: https://schemas.example/schemas/policy/environment/v1\nartifacts:\n  provenance: {required: true}\n'],
  ...['{"type":"object","properties":{"tests":{"type":"integer","pattern":"(a+)+$"}}}', '<html>', '\ufeffversion: 1\n'],
];

/** Valid files, by the name of their form part. */
const VALID_FILES: Record<string, string> = {
  template_file: 'version: 1\ntrail:\n  attestations:\n    - name: unit\n      type: generic\n',
  policy_file: STRICT,
  type_schema: '{"type":"object","properties":{"tests":{"type":"integer"}}}',
};

/** Generates requests to all operations. */
export function requestOf(document: Document, operations: readonly Operation[]): fc.Arbitrary<PlannedRequest> {
  const values = new Values(document);
  const made = new Map(operations.map((operation) => [operation, plannedOf(values, operation)]));
  return fc.constantFrom(...operations).chain((operation) => made.get(operation) ?? fc.constant(undefined as never));
}

const plannedOf = (values: Values, operation: Operation): fc.Arbitrary<PlannedRequest> =>
  fc.oneof(
    { weight: 3, arbitrary: generated(values, operation, 'valid') },
    { weight: 2, arbitrary: generated(values, operation, 'wild') },
  );

function generated(values: Values, operation: Operation, validity: Validity): fc.Arbitrary<PlannedRequest> {
  const { parameters = [] } = operation;
  const of = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place);
  return fc
    .record({
      operation: fc.constant(operation),
      caller: fc.oneof(
        { weight: 8, arbitrary: fc.constant<CallerKind>('admin') },
        { weight: 2, arbitrary: fc.constantFrom(...CALLERS) },
      ),
      path: pathOf(values, operation.path, of('path'), validity),
      query: queryOf(values, of('query'), validity),
      headers: headersOf(operation, of('header'), validity),
      body: bodyOf(values, operation, validity),
    })
    .filter(
      ({ path, query }) =>
        encodeURIComponent(Object.values(path).join('/').toWellFormed()).length + query.length < LONGEST_ADDRESS,
    );
}

/** Returns the kind of environment that a path reports. The prelude makes one environment of each kind, with its kind as name. */
const reportedKind = (path: string) => environmentKind(/\/report\/([\w-]+)$/.exec(path)?.[1] ?? '');

function pathOf(
  values: Values,
  path: string,
  parameters: readonly Parameter[],
  validity: Validity,
): fc.Arbitrary<Record<string, string>> {
  const kind = reportedKind(path);
  const hostile = fc.constantFrom(...HOSTILE);
  const argumentOf = ({ name, schema }: Parameter) => {
    const org = fc.constant(OWN_ORGANIZATION);
    const given = values.of(schema, 'valid', { name }).map(String);
    const ofKind = kind && fc.oneof({ weight: 5, arbitrary: fc.constant(kind) }, given);
    const plain = name === 'org' ? org : name === 'env_name' && ofKind ? ofKind : given;
    if (validity === 'valid') return plain;
    return fc.oneof({ weight: name === 'org' ? 40 : 10, arbitrary: plain }, { weight: 1, arbitrary: hostile });
  };
  return fc.record(Object.fromEntries(parameters.map((parameter) => [parameter.name, argumentOf(parameter)])));
}

/** Encodes one query parameter. Lone surrogates are replaced, because an address cannot contain them. */
const pair = (name: string, value: unknown) =>
  new URLSearchParams([[name.toWellFormed(), String(value).toWellFormed()]]).toString();

function queryOf(values: Values, parameters: readonly Parameter[], validity: Validity): fc.Arbitrary<string> {
  const named = parameters.map(({ name, schema, required }) => {
    const written = values.of(schema, validity, { name }).map((value) => {
      const all = Array.isArray(value) ? value : [value];
      return all.map((one) => pair(name, typeof one === 'object' ? JSON.stringify(one) : one)).join('&');
    });
    return required && validity === 'valid' ? written : fc.option(written, { nil: '', freq: 1 });
  });
  const junk = fc.constantFrom(
    '%zz',
    '&&=&',
    'a[]=1&a[b]=2',
    'page=1&page=2',
    '%00=%00',
    'x='.repeat(200),
    '?',
    '__proto__=1',
  );
  const parts = validity === 'valid' ? named : [...named, fc.option(junk, { nil: '', freq: 6 })];
  return fc.tuple(...parts).map((all) => all.filter((part) => part !== '').join('&'));
}

function headersOf(
  { requestBody }: Operation,
  parameters: readonly Parameter[],
  validity: Validity,
): fc.Arbitrary<Record<string, string>> {
  const repeatable = parameters.some(({ name }) => name === 'Idempotency-Key');
  const key = fc.constantFrom('first', 'second', ...(validity === 'wild' ? ['', ' ', 'k'.repeat(300), 'a#b'] : []));
  const type = fc.constantFrom(
    'text/plain',
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'application/xml',
    '',
  );
  return fc
    .record({
      'idempotency-key': repeatable ? fc.option(key, { nil: undefined, freq: 6 }) : fc.constant(undefined),
      'content-type': validity === 'wild' && requestBody ? rarely(type, 12) : fc.constant(undefined),
    })
    .map((headers) =>
      Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
    ) as fc.Arbitrary<Record<string, string>>;
}

/** Generates a value once in `once` times; otherwise undefined. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>, once: number): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: once - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

function bodyOf(values: Values, { requestBody }: Operation, validity: Validity): fc.Arbitrary<PlannedBody> {
  const raw = fc.constantFrom(...RAW_BODIES).map((text) => ({ text }));
  if (!requestBody) return fc.constantFrom({}, { text: 'null' }, { text: '{}' });
  const { 'application/json': json, 'multipart/form-data': form, 'text/plain': plain } = requestBody.content;
  const kinds = [
    ...(json ? [values.of(json.schema, validity).map((value) => ({ text: JSON.stringify(value) ?? 'null' }))] : []),
    ...(form ? [formOf(values, form.schema.properties ?? {}, validity)] : []),
    ...(plain ? [values.of(plain.schema, validity).map((value) => ({ text: String(value) }))] : []),
  ];
  const proper = fc.oneof(...kinds);
  if (validity === 'valid') return proper;
  const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => ({ bytes: Buffer.from(array) }));
  return fc.oneof({ weight: 20, arbitrary: proper }, { weight: 2, arbitrary: raw }, { weight: 1, arbitrary: bytes });
}

/** Generates a form with documents as text fields and files as file parts. */
function formOf(
  values: Values,
  properties: Record<string, { format?: string }>,
  validity: Validity,
): fc.Arbitrary<PlannedBody> {
  const isFile = (name: string) => properties[name]?.format === 'binary';
  const names = Object.keys(properties);
  const [fileNames, fieldNames] = [names.filter(isFile), names.filter((name) => !isFile(name))];
  const usual = (name: string) => fc.constant(VALID_FILES[name] ?? 'evidence');
  const contents = (name: string) => fc.oneof({ weight: 2, arbitrary: usual(name) }, fc.constantFrom(...FILES));
  const others = validity === 'wild' ? ['attachment_file.0', 'other', ''] : [];
  const files = fc.record(Object.fromEntries([...fileNames, ...others].map((name) => [name, contents(name)])), {
    requiredKeys: validity === 'valid' ? fileNames.filter((name) => name in VALID_FILES) : [],
  });
  const fields = fc.record(
    Object.fromEntries(
      fieldNames.map((name) => [
        name,
        fc.oneof(
          {
            weight: 15,
            arbitrary: values.of(properties[name] ?? {}, validity).map((value) => JSON.stringify(value) ?? 'null'),
          },
          ...(validity === 'wild' ? [{ weight: 1, arbitrary: fc.constantFrom(...RAW_BODIES) }] : []),
        ),
      ]),
    ),
    validity === 'wild' ? { requiredKeys: fieldNames.slice(1) } : {},
  );
  return fc
    .record({ fields, files })
    .map((form) => ({ form: form as { fields: Record<string, string>; files: Record<string, string> } }));
}
