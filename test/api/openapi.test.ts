import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import { describeApi, groups } from '#functions/groups.ts';
import { PARAMETERS } from '#functions/openapi/parameters.ts';
import { operationNodes } from '#shared/http/openapi/descriptions.ts';

interface Schema {
  $ref?: string;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  [keyword: string]: unknown;
}
interface Operation {
  operationId: string;
  description?: string;
  security?: unknown;
  parameters?: { in: string; name: string; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<
    string,
    {
      content: Record<string, { schema: Schema; examples?: Record<string, { value: { message: string } }> }>;
      headers?: Record<string, object>;
      links?: Record<string, { operationId: string; parameters: Record<string, string> }>;
    }
  >;
}
const document = JSON.parse(describeApi()) as {
  paths: Record<string, object>;
  components: { schemas: Record<string, Schema> };
};
const operations = operationNodes(document) as unknown as Operation[];
const endpoints = groups.flatMap((group) => group.endpoints);
const operationOf = (id: string) => operations.find(({ operationId }) => operationId === id);
const endpointOf = (id: string) => endpoints.find(({ operation }) => operation === id);

/** Keywords whose values are data and hold no schemas. */
const DATA = new Set(['examples', 'example', 'default', 'enum', 'const', 'links']);

/** Keywords whose forms can constrain the schema around them. */
const FORMS = new Set(['anyOf', 'allOf', 'if', 'else']);

/**
 * Calls `see` for each property of a schema, at any depth. A form in `anyOf`, `allOf`, `if` or `else` that only constrains properties
 * of the schema around it is left out.
 * @param parent name of what is around the schema
 */
function eachProperty(
  node: unknown,
  parent: string,
  see: (name: string, property: Schema, parent: string) => void,
  constrained: readonly string[] = [],
): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) {
    for (const item of node) eachProperty(item, parent, see, constrained);
    return;
  }
  const { properties = {}, ...others } = node as Schema;
  for (const [name, property] of Object.entries(properties)) {
    if (constrained.includes(name)) continue;
    see(name, property, parent);
    eachProperty(property, name, see);
  }
  for (const [keyword, value] of Object.entries(others)) {
    const isForms = FORMS.has(keyword);
    if (!DATA.has(keyword)) {
      eachProperty(value, parent, see, isForms ? [...constrained, ...Object.keys(properties)] : []);
    }
  }
}

/** All properties of the document with what is around them. */
function properties(): { place: string; description: string | undefined }[] {
  const seen: { place: string; description: string | undefined }[] = [];
  const see = (name: string, { description }: Schema, parent: string) =>
    seen.push({ place: `${parent}.${name}`, description });
  for (const [name, schema] of Object.entries(document.components.schemas)) eachProperty(schema, name, see);
  for (const { operationId, requestBody, responses } of operations) {
    eachProperty([requestBody, responses], operationId, see);
  }
  return seen;
}

const parameters = operations.flatMap(({ operationId, parameters: own = [] }) =>
  own.map((parameter) => ({ ...parameter, place: `${operationId}.${parameter.name}` })),
);

/** Families of items that are links of a chain, and so entries of the log. */
const LINKS_OF_CHAINS = ['MOMENT', 'SNAPSHOT'];

describe('endpoints that write moments or snapshots', () => {
  // A confirmed draft makes the write of another endpoint. Its answer leads to the page of what was made.
  const writers = endpoints.filter(
    ({ operation, uses }) =>
      operation !== 'confirmDraft' && uses?.writes?.some((family) => LINKS_OF_CHAINS.includes(family)),
  );
  const shapeOf = (path: string) => path.replaceAll(/\{\w+\}/g, '{}');
  const receipts = endpoints.filter(({ path }) => path.startsWith('/receipts/')).map(({ path }) => shapeOf(path));

  test('are those that name receipts', () => {
    expect(writers.length).toBeGreaterThan(20);
    const naming = endpoints.filter(({ appends }) => appends !== undefined);
    expect(naming.map(({ operation }) => operation)).toEqual(writers.map(({ operation }) => operation));
  });

  test('name receipts that can be read, and describe the headers', () => {
    for (const { operation, appends = '', params, makes } of writers) {
      expect([operation, receipts]).toEqual([operation, expect.arrayContaining([shapeOf(appends)])]);
      const blanks = [...appends.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      const known = [...Object.keys(params.shape), 'number', ...(makes?.at.match(/\w+(?=\})/g) ?? [])];
      expect([operation, known]).toEqual([operation, expect.arrayContaining(blanks)]);
      for (const [status, { headers = {} }] of Object.entries(operationOf(operation)?.responses ?? {})) {
        if (status >= '300') continue;
        expect([operation, Object.keys(headers)]).toEqual([
          operation,
          expect.arrayContaining(['Evidence-Moment', 'Link']),
        ]);
      }
    }
  });
});

describe('descriptions', () => {
  test('are at every property and every parameter', () => {
    const without = [...properties(), ...parameters].filter(({ description }) => !description);
    expect(without.map(({ place }) => place)).toEqual([]);
  });

  test('descriptions of common parameters are all used', () => {
    const names = new Set(parameters.flatMap(({ place, name }) => [place, name]));
    expect(Object.keys(PARAMETERS).filter((key) => !names.has(key))).toEqual([]);
  });
});

describe('patterns', () => {
  const found = new Set<string>();
  const collect = (node: unknown, keyword: string): void => {
    if (keyword === 'pattern' && typeof node === 'string') found.add(node);
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      collect(value, key);
      if (keyword === 'patternProperties') found.add(key);
    }
  };
  collect(document, '');

  test.each([...found])('%s means the same in every dialect', (pattern) => {
    expect(pattern).not.toMatch(/\\[pPdDwWsSbBuc]|\(\?|\\[0-9]/);
    expect(() => RE2JS.compile(pattern)).not.toThrow();
  });
});

describe('operations', () => {
  test('name each form of the credential, unless they are public', () => {
    for (const { operationId, security, description } of operations) {
      const { access, openWith } = endpointOf(operationId) ?? {};
      const isPublic = access === 'public';
      const withKey = [{ bearer: [] }, { basic: [] }, { session: [] }];
      expect([operationId, security]).toEqual([operationId, isPublic ? [] : [...withKey, ...(openWith ? [{}] : [])]]);
      if (!isPublic) expect(description).toContain('HTTP Basic');
      if (openWith) expect(description).toContain(`has the feature \`${openWith}\``);
    }
  });

  test('operations of a beta feature are marked', () => {
    const marked = operations.filter((operation) => 'x-beta' in operation).map(({ operationId }) => operationId);
    const beta = endpoints.filter(({ feature }) => feature !== undefined).map(({ operation }) => operation);
    expect(marked.toSorted()).toEqual(beta.toSorted());
    for (const id of beta) expect(operationOf(id)?.description).toMatch(/\*\*Beta\*\*/);
  });

  test('that take a body show the answer of the gateway to a request that is too long', () => {
    const messagesOf = ({ responses }: Operation) =>
      Object.values(responses['413']?.content['application/json']?.examples ?? {}).map(({ value }) => value.message);
    for (const operation of operations.filter(({ requestBody }) => requestBody)) {
      expect(messagesOf(operation)).toContain('Request Too Long');
    }
    expect(messagesOf(operationOf('attestGeneric') as Operation)).toContainEqual(
      expect.stringContaining('POST /attachments/{org}'),
    );
  });
});

test('bodies without required fields are empty or have a known field', () => {
  const { if: empty, else: known } = document.components.schemas['ServiceAccountChange'] ?? {};
  expect(empty).toEqual({ maxProperties: 0 });
  expect(known).toEqual({ if: { required: ['description'] }, else: { required: ['privilege'] } });
});

describe('generators of clients', () => {
  /** Every object of the document outside of data, and outside of constraints. */
  function* nodes(node: unknown): Generator<Schema> {
    if (typeof node !== 'object' || node === null) return;
    if (!Array.isArray(node)) yield node as Schema;
    for (const [name, value] of Object.entries(node)) {
      if (!DATA.has(name) && name !== 'if' && name !== 'else') yield* nodes(value);
    }
  }
  const all = [...nodes(document)];

  test('find an id of each operation that is its alone and a name in every language', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.filter((id) => !/^[a-z][A-Za-z0-9]+$/.test(id))).toEqual([]);
    expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(ids.length);
  });

  test('find names of schemas that are names in every language', () => {
    const names = Object.keys(document.components.schemas);
    expect(names.filter((name) => !/^[A-Z][A-Za-z0-9]+$/.test(name))).toEqual([]);
  });

  test('find a name of each JSON body, which is a component or null', () => {
    const bodies = operations.flatMap(({ operationId, requestBody }) => {
      const schema = requestBody?.content['application/json']?.schema;
      return schema ? [{ operationId, forms: schema.anyOf ?? [schema] }] : [];
    });
    expect(bodies.length).toBeGreaterThan(50);
    const nameless = bodies.filter(({ forms }) => !forms.every(({ $ref, type }) => $ref ?? type === 'null'));
    expect(nameless.map(({ operationId }) => operationId)).toEqual([]);
  });

  test('find doubles where a number is no integer', () => {
    const numbers = all.filter(({ type }) => type === 'number' || (Array.isArray(type) && type.includes('number')));
    expect(numbers.length).toBeGreaterThan(100);
    expect(numbers.filter(({ format }) => format !== 'double')).toEqual([]);
  });

  test('find no forms that only constrain the fields beside them, which they would make types of', () => {
    const constraints = all.filter(({ properties, anyOf }) =>
      anyOf?.every((form) => properties && !('$ref' in form) && !('type' in form)),
    );
    expect(constraints).toEqual([]);
    expect(document.components.schemas['CreateEnvironmentPutInput']).toMatchObject({
      if: { properties: { type: { const: 'logical' } } },
      else: { properties: { included_environments: { maxItems: 0 } } },
    });
  });

  test('find one type for each value, which can be null, or a form for each type', () => {
    const lists = all.map(({ type }) => type).filter((type): type is string[] => Array.isArray(type));
    expect(lists.length).toBeGreaterThan(100);
    expect(lists.filter((types) => types.filter((type) => type !== 'null').length !== 1)).toEqual([]);
  });
});

describe('links', () => {
  const linked = operations.flatMap((source) =>
    Object.values(source.responses).flatMap(({ links = {} }) => Object.values(links).map((link) => ({ source, link }))),
  );
  const resolved = (schema: Schema): Schema =>
    schema.$ref ? (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;
  /** Whether a JSON pointer leads to a field that some form of the schema has. */
  const leadsToField = (schema: Schema, [first, ...rest]: string[]): boolean => {
    const here = resolved(schema);
    if (first === undefined) return true;
    const next = /^\d+$/.test(first) ? here.items : here.properties?.[first];
    return (
      (next !== undefined && leadsToField(next, rest)) ||
      [...(here.anyOf ?? []), ...(here.oneOf ?? [])].some((form) => leadsToField(form, [first, ...rest]))
    );
  };
  const successOf = ({ responses }: Operation) =>
    Object.entries(responses).find(([status]) => status < '300')?.[1].content['application/json']?.schema ?? {};

  test('lead to operations and give all parameters of their paths', () => {
    expect(linked.length).toBeGreaterThan(100);
    for (const { link } of linked) {
      const target = operationOf(link.operationId);
      const wanted = (target?.parameters ?? []).filter((parameter) => parameter.in === 'path');
      expect(Object.keys(link.parameters).toSorted()).toEqual(wanted.map(({ name }) => `path.${name}`).toSorted());
    }
  });

  test('lead from every operation that makes something', () => {
    const makers = operations.filter(({ responses }) =>
      Object.values(responses).some(({ headers }) => headers?.['X-Resource-Id']),
    );
    expect(makers.length).toBeGreaterThan(20);
    const without = makers.filter((maker) => !linked.some(({ source }) => source === maker));
    expect(without.map(({ operationId }) => operationId)).toEqual([]);
  });

  test('take their values from fields and headers that requests and answers have', () => {
    for (const { source, link } of linked) {
      for (const expression of Object.values(link.parameters)) {
        if (expression === '$response.header.X-Resource-Id') {
          const headers = Object.values(source.responses).flatMap((response) => Object.keys(response.headers ?? {}));
          expect([source.operationId, headers]).toEqual([
            source.operationId,
            expect.arrayContaining(['X-Resource-Id']),
          ]);
        }
        const [, part, pointer = ''] = /^\$(request|response)\.body#\/(.*)$/.exec(expression) ?? [];
        if (part === undefined) continue;
        const schema =
          part === 'response' ? successOf(source) : (source.requestBody?.content['application/json']?.schema ?? {});
        expect([source.operationId, expression, leadsToField(schema, pointer.split('/'))]).toEqual([
          source.operationId,
          expression,
          true,
        ]);
      }
    }
  });
});
