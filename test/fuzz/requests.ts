import * as fc from 'fast-check';
import { environmentKind } from '#shared/environments/rules/environment-kinds.ts';
import type { ApiRequest } from '#test/support/api.ts';
import { STRICT } from '#test/support/policies.ts';
import type { Document, Operation, Parameter } from './document.ts';
import { type Care, HOSTILE, NAME, Values } from './values.ts';

/** Who asks: a role of the organization, somebody else's admin, or a credential that is none. */
export const CALLERS = ['admin', 'member', 'snapshotter', 'reader', 'stranger', 'unknown', 'nobody'] as const;
export type CallerKind = (typeof CALLERS)[number];

/** A request before it is known what the organizations and the ids of this run are. */
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

/** The organization of the run, in a path. */
export const OWN_ORGANIZATION = '{own}';

/** The limit of the gateway for a request's line and headers, with room for the headers. */
const LONGEST_ADDRESS = 6_000;

/** Bodies that are no document of any schema. */
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

/** Files that endpoints are happy with, by the name of their part. */
const USUAL_FILES: Record<string, string> = {
  template_file: 'version: 1\ntrail:\n  attestations:\n    - name: unit\n      type: generic\n',
  policy_file: STRICT,
  type_schema: '{"type":"object","properties":{"tests":{"type":"integer"}}}',
};

/** A request to any operation. */
export function requestOf(document: Document, operations: readonly Operation[]): fc.Arbitrary<PlannedRequest> {
  const values = new Values(document);
  const made = new Map(operations.map((operation) => [operation, plannedOf(values, operation)]));
  return fc.constantFrom(...operations).chain((operation) => made.get(operation) ?? fc.constant(undefined as never));
}

const plannedOf = (values: Values, operation: Operation): fc.Arbitrary<PlannedRequest> =>
  fc.oneof(
    { weight: 3, arbitrary: withCare(values, operation, 'valid') },
    { weight: 2, arbitrary: withCare(values, operation, 'wild') },
  );

function withCare(values: Values, operation: Operation, care: Care): fc.Arbitrary<PlannedRequest> {
  const { parameters = [] } = operation;
  const of = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place);
  return fc
    .record({
      operation: fc.constant(operation),
      caller: fc.oneof(
        { weight: 8, arbitrary: fc.constant<CallerKind>('admin') },
        { weight: 2, arbitrary: fc.constantFrom(...CALLERS) },
      ),
      path: pathOf(values, operation.path, of('path'), care),
      query: queryOf(values, of('query'), care),
      headers: headersOf(operation, of('header'), care),
      body: bodyOf(values, operation, care),
    })
    .filter(
      ({ path, query }) =>
        encodeURIComponent(Object.values(path).join('/').toWellFormed()).length + query.length < LONGEST_ADDRESS,
    );
}

/** Reports of a kind are mostly for the environment of that kind, which is called by it (see prelude.ts). */
const reportedTo = (path: string) => environmentKind(/\/report\/([\w-]+)$/.exec(path)?.[1] ?? '');

function pathOf(
  values: Values,
  path: string,
  parameters: readonly Parameter[],
  care: Care,
): fc.Arbitrary<Record<string, string>> {
  const environment = reportedTo(path);
  const hostile = fc.constantFrom(...HOSTILE);
  const argumentOf = ({ name, schema }: Parameter) => {
    const org = fc.constant(OWN_ORGANIZATION);
    const given = values.of(schema, 'valid', { name }).map(String);
    const own = environment && fc.oneof({ weight: 5, arbitrary: fc.constant(environment) }, given);
    const plain = name === 'org' ? org : name === 'env_name' && own ? own : given;
    if (care === 'valid') return plain;
    return fc.oneof({ weight: name === 'org' ? 40 : 10, arbitrary: plain }, { weight: 1, arbitrary: hostile });
  };
  return fc.record(Object.fromEntries(parameters.map((parameter) => [parameter.name, argumentOf(parameter)])));
}

/** Names and values as they are written into an address; lone surrogates cannot be. */
const pair = (name: string, value: unknown) =>
  new URLSearchParams([[name.toWellFormed(), String(value).toWellFormed()]]).toString();

function queryOf(values: Values, parameters: readonly Parameter[], care: Care): fc.Arbitrary<string> {
  const named = parameters.map(({ name, schema, required }) => {
    const written = values.of(schema, care, { name }).map((value) => {
      const all = Array.isArray(value) ? value : [value];
      return all.map((one) => pair(name, typeof one === 'object' ? JSON.stringify(one) : one)).join('&');
    });
    return required && care === 'valid' ? written : fc.option(written, { nil: '', freq: 1 });
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
  const parts = care === 'valid' ? named : [...named, fc.option(junk, { nil: '', freq: 6 })];
  return fc.tuple(...parts).map((all) => all.filter((part) => part !== '').join('&'));
}

function headersOf(
  { requestBody }: Operation,
  parameters: readonly Parameter[],
  care: Care,
): fc.Arbitrary<Record<string, string>> {
  const repeatable = parameters.some(({ name }) => name === 'Idempotency-Key');
  const key = fc.constantFrom('first', 'second', ...(care === 'wild' ? ['', ' ', 'k'.repeat(300), 'a#b'] : []));
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
      'content-type': care === 'wild' && requestBody ? rarely(type, 12) : fc.constant(undefined),
    })
    .map((headers) =>
      Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
    ) as fc.Arbitrary<Record<string, string>>;
}

/** Once in so many times; otherwise undefined. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>, once: number): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: once - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

function bodyOf(values: Values, { requestBody }: Operation, care: Care): fc.Arbitrary<PlannedBody> {
  const raw = fc.constantFrom(...RAW_BODIES).map((text) => ({ text }));
  if (!requestBody) return fc.constantFrom({}, { text: 'null' }, { text: '{}' });
  const { 'application/json': json, 'multipart/form-data': form } = requestBody.content;
  const kinds = [
    ...(json ? [values.of(json.schema, care).map((value) => ({ text: JSON.stringify(value) ?? 'null' }))] : []),
    ...(form ? [formOf(values, form.schema.properties ?? {}, care)] : []),
  ];
  const proper = fc.oneof(...kinds);
  if (care === 'valid') return proper;
  const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => ({ bytes: Buffer.from(array) }));
  return fc.oneof({ weight: 20, arbitrary: proper }, { weight: 2, arbitrary: raw }, { weight: 1, arbitrary: bytes });
}

/** A form: documents as text fields, files as file parts. */
function formOf(
  values: Values,
  properties: Record<string, { format?: string }>,
  care: Care,
): fc.Arbitrary<PlannedBody> {
  const isFile = (name: string) => properties[name]?.format === 'binary';
  const names = Object.keys(properties);
  const [fileNames, fieldNames] = [names.filter(isFile), names.filter((name) => !isFile(name))];
  const usual = (name: string) => fc.constant(USUAL_FILES[name] ?? 'evidence');
  const contents = (name: string) => fc.oneof({ weight: 2, arbitrary: usual(name) }, fc.constantFrom(...FILES));
  const others = care === 'wild' ? ['attachment_file.0', 'other', ''] : [];
  const files = fc.record(Object.fromEntries([...fileNames, ...others].map((name) => [name, contents(name)])), {
    requiredKeys: care === 'valid' ? fileNames.filter((name) => name in USUAL_FILES) : [],
  });
  const fields = fc.record(
    Object.fromEntries(
      fieldNames.map((name) => [
        name,
        fc.oneof(
          {
            weight: 15,
            arbitrary: values.of(properties[name] ?? {}, care).map((value) => JSON.stringify(value) ?? 'null'),
          },
          ...(care === 'wild' ? [{ weight: 1, arbitrary: fc.constantFrom(...RAW_BODIES) }] : []),
        ),
      ]),
    ),
    care === 'wild' ? { requiredKeys: fieldNames.slice(1) } : {},
  );
  return fc
    .record({ fields, files })
    .map((form) => ({ form: form as { fields: Record<string, string>; files: Record<string, string> } }));
}
