import { afterAll, describe, expect, test } from 'vitest';
import { childEngines } from '#shared/engines/child-engines.ts';

const engines = childEngines({ timeoutMillis: 10_000 });
afterAll(() => engines.close());

const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema';
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';

function nested(depth: number): unknown {
  let schema: unknown = {};
  for (let i = 0; i < depth; i += 1) schema = { not: schema };
  return schema;
}

describe('checkSchema', () => {
  test.each([
    ['the empty schema', {}],
    ['a draft-07 schema', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', required: ['a'] }],
    ['a draft-07 schema by another spelling', { $schema: 'https://json-schema.org/draft-07/schema' }],
    ['a 2019-09 schema', { $schema: DRAFT_2019, unevaluatedProperties: false }],
    ['a 2020-12 schema', { $schema: DRAFT_2020, prefixItems: [{ type: 'string' }] }],
    ['a reference within the document', { definitions: { a: { type: 'string' } }, items: { $ref: '#/definitions/a' } }],
    [
      'a reference to an $id of the document',
      { $id: 'https://example.com/root', definitions: { a: { $id: 'a' } }, items: { $ref: 'https://example.com/a' } },
    ],
    ['a schema that refers to itself', { $ref: '#' }],
    ['an unknown keyword', { 'x-note': 1 }],
    ['an unknown format', { format: 'zip-code' }],
    ['a property of any name', { properties: { $ref: { type: 'string' }, id: {}, constructor: {} } }],
    ['a linear pattern', { pattern: '^[A-Z]{2,5}-\\d+$', patternProperties: { '^x\\/': { type: 'null' } } }],
  ])('accepts %s', async (_, schema) => {
    expect(await engines.checkSchema(schema)).toBeNull();
  });

  test.each([
    ['an array', [], /must be a JSON object/],
    ['a string', 'object', /must be a JSON object/],
    ['null', null, /must be a JSON object/],
    ['undefined', undefined, /must be a JSON object/],
    ['an unknown type', { type: 'objekt' }, /^not a JSON Schema: \/type must be equal to one of the allowed values/],
    [
      'a wrong keyword value',
      { properties: { a: { minimum: 'x' } } },
      /^not a JSON Schema: \/properties\/a\/minimum must be number/,
    ],
    [
      'a remote reference',
      { $ref: 'https://example.com/x.json' },
      /^can't resolve reference https:\/\/example\.com\/x\.json/,
    ],
    ['a reference to a file', { items: { $ref: 'file:///etc/passwd' } }, /^can't resolve reference/],
    ['a dangling reference', { $ref: '#/definitions/a' }, /^can't resolve reference/],
    [
      'an unsupported dialect',
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      /is not supported: use draft-07, 2019-09 or 2020-12$/,
    ],
    ['a $schema that is not a string', { $schema: 7 }, /is not supported/],
    ['a prototype key as dialect', { $schema: 'constructor' }, /is not supported/],
    ['asynchronous validation', { $async: true }, /\$async is not supported/],
    ['a look-ahead', { pattern: '(?=a)b' }, /^the pattern '\(\?=a\)b' is not supported/],
    ['a back-reference', { properties: { a: { pattern: '(a)\\1' } } }, /is not supported/],
    ['an unsupported property pattern', { patternProperties: { '(?!x)': { type: 'string' } } }, /is not supported/],
    ['an invalid pattern', { pattern: '(' }, /pattern/],
    ['a deep schema', nested(10_000), /^the schema is nested deeper than 250 levels$/],
    ['a large schema', { description: 'x'.repeat(1024 * 1024) }, /^the schema is larger than 1 MB$/],
  ])('refuses %s', async (_, schema, message) => {
    expect(await engines.checkSchema(schema)).toMatch(message);
  });

  test('does not know the $id of another schema', async () => {
    expect(await engines.checkSchema({ $id: 'https://example.com/mine', type: 'string' })).toBeNull();
    expect(await engines.checkSchema({ $ref: 'https://example.com/mine' })).toMatch(/^can't resolve reference/);
  });
});

describe('validate', () => {
  const schema = {
    type: 'object',
    required: ['name'],
    additionalProperties: false,
    properties: {
      name: { type: 'string', pattern: '^[a-z]+$' },
      scores: { type: 'array', items: { type: 'number', maximum: 10 } },
      level: { enum: ['low', 'high'] },
      at: { type: 'string', format: 'date-time' },
    },
  };

  test.each([
    ['{"name": "x"}', null],
    ['{"name": "x", "scores": [1, 2.5], "level": "low", "at": "2026-01-01T00:00:00Z"}', null],
    ['{}', "(root) must have required property 'name'"],
    ['[]', '(root) must be object'],
    ['{"name": "X"}', '/name must match pattern "^[a-z]+$"'],
    ['{"name": "x", "scores": [1, 11]}', '/scores/1 must be <= 10'],
    ['{"name": "x", "level": "mid"}', '/level must be equal to one of the allowed values: ["low","high"]'],
    ['{"name": "x", "other": 1}', "(root) must NOT have additional properties: 'other'"],
    ['{"name": "x", "__proto__": {}}', "(root) must NOT have additional properties: '__proto__'"],
    ['{"name": "x", "at": "yesterday"}', '/at must match format "date-time"'],
    ['{"name": ', '(root) is not JSON'],
  ])('validates %s', async (json, violation) => {
    expect(await engines.validate(schema, json)).toBe(violation);
  });

  test('does not count inherited properties', async () => {
    expect(await engines.validate({ required: ['toString'] }, '{}')).toBe(
      "(root) must have required property 'toString'",
    );
  });

  test('uses the dialect of $schema', async () => {
    const prefixItems = [{ type: 'string' }];
    expect(await engines.validate({ $schema: DRAFT_2020, prefixItems }, '[1]')).toBe('/0 must be string');
    expect(await engines.validate({ prefixItems }, '[1]')).toBeNull();
  });

  test('refuses a document that is nested too deep', async () => {
    expect(await engines.validate({}, '['.repeat(10_000))).toBe('JSON nested deeper than 250 levels');
  });

  test('reports endless references as an outcome, and works afterwards', async () => {
    expect(await engines.validate({ $ref: '#' }, '1')).toBe('the validation brought its engine down');
    expect(await engines.validate({}, '1')).toBeNull();
  });

  test('matches a pattern that would backtrack exponentially in linear time', async () => {
    const text = JSON.stringify(`${'a'.repeat(20_000)}!`);
    expect(await engines.validate({ pattern: '^(a+)+$' }, text)).toMatch(/^\(root\) must match pattern/);
  });
});
