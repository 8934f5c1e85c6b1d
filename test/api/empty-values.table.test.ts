import { describe, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import type { Endpoint } from '#shared/http/endpoint.ts';
import { openApiDocument } from '#shared/http/openapi.ts';
import { testApi } from '#test/support/api.ts';
import { organizationWith } from '#test/support/directory.ts';

/** What the document says of empty parameters, empty bodies and `null` is what the service does (rules/requests.md). */

const api = await testApi(groups);
const { name: org, keys } = await organizationWith(api.services, ['admin']);
const key = keys.admin;

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  allowEmptyValue?: boolean;
  schema: { type?: string; minLength?: number };
}
interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: { anyOf?: { type?: string }[] } }> };
  responses: Record<string, unknown>;
}
const document = JSON.parse(JSON.stringify(openApiDocument(groups))) as {
  paths: Record<string, Record<string, Operation>>;
};
const operations = new Map(
  Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .map((operation) => [operation.operationId, operation]),
);
const operationOf = ({ operation }: Endpoint): Operation => {
  const found = operations.get(operation);
  if (!found) throw new Error(`The document does not have ${operation}`);
  return found;
};

const endpoints = groups.flatMap((group) => group.endpoints);
const named = (chosen: readonly Endpoint[]) => chosen.map((one) => [`${one.method} ${one.path}`, one] as const);
/** `root:` paths have no query and no body. */
const pathOf = ({ path }: Endpoint) =>
  path
    .replace('{org}', org)
    .replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => (/number|^n$/.test(name) ? '1' : 'unknown'));

async function send(endpoint: Endpoint, request: { query?: string; text?: string }) {
  const { status, json } = await api.call(endpoint.method, pathOf(endpoint), { key, ...request });
  const { errors = {} } = (json ?? {}) as { errors?: Record<string, string> };
  return { status, errors };
}

/** Values for required parameters. */
const REQUIRED: Readonly<Record<string, string>> = { snappish1: 'prod', snappish2: 'prod', q: 'abc' };
const MISSING = 'Field required [input: None]';

describe('an empty value of a query parameter', () => {
  const queried = endpoints.filter(({ query }) => Object.keys(query.shape).length > 0);
  it.each(named(queried))('means what the document says: %s', async (_, endpoint) => {
    const parameters = (operationOf(endpoint).parameters ?? []).filter((parameter) => parameter.in === 'query');
    expect(parameters.map(({ name }) => name).toSorted()).toEqual(Object.keys(endpoint.query.shape).toSorted());
    const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
    const given = (left: string) =>
      required.filter((name) => name !== left).map((name) => `${name}=${REQUIRED[name] ?? 'missing'}`);
    for (const { name, required: isRequired, allowEmptyValue, schema } of parameters) {
      for (const empty of [`${name}=`, name]) {
        const answer = await send(endpoint, { query: [...given(name), empty].join('&') });
        if (isRequired) {
          expect([allowEmptyValue, schema.type === 'string' ? schema.minLength : 1], name).toEqual([undefined, 1]);
          expect([answer.status, answer.errors[`query.${name}`]], name).toEqual([400, MISSING]);
        } else {
          expect(allowEmptyValue, name).toBe(true);
          expect(answer, name).toEqual(await send(endpoint, { query: given(name).join('&') }));
        }
      }
    }
  });
});

describe('a search', () => {
  it.each([
    ['of spaces alone', '%20%20'],
    ['with more characters than the document allows', '%20'.repeat(256)],
  ])('a search %s is refused, as the document says', async (_, text) => {
    const { status, json } = await api.call('GET', `/search/${org}`, { key, query: `q=${text}` });
    expect([status, Object.keys((json as { errors: object }).errors)]).toEqual([400, ['query.q']]);
    expect(operations.get('searchNames')?.parameters?.find(({ name }) => name === 'q')?.schema).toMatchObject({
      pattern: expect.stringContaining('[^'),
      maxLength: 255,
    });
  });
});

describe('a body of null and an empty body', () => {
  const bodied = endpoints.filter(({ body }) => body.kind === 'json' || body.kind === 'multipart');
  it.each(named(bodied))('mean what the document says: %s', async (_, endpoint) => {
    const { required = false, content } = operationOf(endpoint).requestBody ?? { content: {} };
    const forms = content['application/json']?.schema.anyOf ?? [];
    const whole = endpoint.body.kind === 'multipart' ? endpoint.body.part : 'payload';
    const isMissing = async (text: string) => {
      const { status, errors } = await send(endpoint, { text });
      return status === 400 && errors[whole] === MISSING;
    };
    expect(await isMissing('null')).toBe(!forms.some(({ type }) => type === 'null'));
    expect(await isMissing('')).toBe(required);
  });
});

describe('a header that is too large', () => {
  it.each(named(endpoints))('is an answer of the gateway in the document: %s', (_, endpoint) => {
    expect(operationOf(endpoint).responses).toHaveProperty('431');
  });
});
