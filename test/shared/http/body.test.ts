import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { noErrors } from '#shared/base/validation.ts';
import { readBody, validateBody } from '#shared/http/body.ts';
import { readEvent } from '#shared/http/gateway-event.ts';
import type { BodyRule } from '#shared/http/request.ts';
import { gatewayEvent } from '#test/support/gateway.ts';

const schema = z.object({});
const json: BodyRule = { kind: 'json', schema };
const optional: BodyRule = { kind: 'json', schema, optional: true };
const form: BodyRule = { kind: 'multipart', part: 'data_json', schema, files: [] };
const formOrJson: BodyRule = { ...form, plainJson: true };

const read = (rule: BodyRule, body: unknown, headers: Record<string, string> = {}) =>
  readBody(readEvent(gatewayEvent({ method: 'POST', path: '/', body, headers })), rule, noErrors());

describe('a JSON body', () => {
  test('is read with its text, whatever its content type says', async () => {
    expect(await read(json, '{"n": 1.0}', { 'content-type': 'text/plain' })).toEqual({
      whole: 'payload',
      text: '{"n": 1.0}',
      value: { n: 1 },
      files: [],
    });
  });

  test.each([undefined, '', '  ', 'null', ' null '])('is missing if it is %j', async (body) => {
    await expect(read(json, body)).rejects.toMatchObject({
      kind: 'invalid',
      message: 'Input payload validation failed',
      errors: { payload: 'Field required [input: None]' },
    });
  });

  test.each([undefined, '', 'null'])('may be %j if it is optional', async (body) => {
    expect(await read(optional, body)).toMatchObject({ text: '{}', value: {} });
  });

  test.each(['{', 'x', '{"a":1}}', "{'a':1}"])('%j is not JSON', async (body) => {
    await expect(read(optional, body)).rejects.toMatchObject({ errors: { payload: `Invalid JSON [input: ${body}]` } });
  });

  test('that is not JSON is not shown if it mentions a secret', async () => {
    const body = '{"targets": [{"secret": "hush"}';
    await expect(read(json, body)).rejects.toMatchObject({ errors: { payload: 'Invalid JSON [input: hidden]' } });
  });

  test('a JSON body of 10,000 levels is refused', async () => {
    const body = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
    await expect(read(json, body)).rejects.toMatchObject({
      kind: 'invalid',
      errors: { payload: expect.stringContaining('nested deeper than') },
    });
  });

  test('that is not UTF-8 is refused', async () => {
    const body = Buffer.from([0x22, 0xff, 0x22]);
    await expect(read(json, body)).rejects.toMatchObject({ errors: { payload: 'The text is not UTF-8' } });
  });
});

describe('a body with optional fields', () => {
  const fields = z.object({ description: z.string().nullish(), privilege: z.string().optional() });
  const problems = async (body: unknown, changed: z.ZodType = fields) => {
    const rule: BodyRule = { kind: 'json', schema: changed, optional: true };
    const errors = noErrors();
    validateBody(await read(rule, body), rule, errors);
    return { ...errors };
  };

  test('a body with optional fields of which no field is known is refused', async () => {
    const unknown = (name: string, nearest: string) =>
      `Unknown field '${name}'. The nearest known field is '${nearest}'`;
    expect(await problems({ descripton: 'x', priviledge: 'key-1' })).toEqual({
      descripton: unknown('descripton', 'description'),
      priviledge: unknown('priviledge', 'privilege'),
    });
    const transformed = fields.refine(() => true).transform(Object.keys);
    expect(await problems({ x: 1 }, transformed)).toEqual({ x: unknown('x', 'privilege') });
  });

  test.each([undefined, null, {}, { description: null }, { privilege: 'admin', later: 1 }])(
    'may be %j',
    async (body) => {
      expect(await problems(body)).toEqual({});
    },
  );

  test('names a wrong field rather than the unknown ones', async () => {
    expect(Object.keys(await problems({ privilege: 1, x: 1 }))).toEqual(['privilege']);
  });

  test('may have names of its own if the schema lists no fields', async () => {
    expect(await problems({ x: 'y' }, z.record(z.string(), z.string()))).toEqual({});
  });
});

describe('a form', () => {
  const boundary = { 'content-type': 'Multipart/Form-Data; boundary=b' };
  const parts = (text: string) => `--b\r\nContent-Disposition: form-data; name="data_json"\r\n\r\n${text}\r\n--b--\r\n`;

  test('is read by its JSON part', async () => {
    expect(await read(form, parts('{"a":1}'), boundary)).toMatchObject({ whole: 'data_json', value: { a: 1 } });
  });

  test('a form without its JSON part, or replaced by a JSON body, lacks a field', async () => {
    const missing = { kind: 'invalid', errors: { data_json: 'Field required [input: None]' } };
    await expect(read(form, '--b--\r\n', boundary)).rejects.toMatchObject({ kind: 'invalid' });
    await expect(read(form, parts('null'), boundary)).rejects.toMatchObject(missing);
    await expect(read(form, '{"a":1}', { 'content-type': 'application/json' })).rejects.toMatchObject(missing);
  });

  test('a form with broken JSON is reported under the name of its part', async () => {
    await expect(read(form, parts('{'), boundary)).rejects.toMatchObject({
      errors: { data_json: 'Invalid JSON [input: {]' },
    });
  });

  test('may be an ordinary JSON body if the endpoint accepts both', async () => {
    expect(await read(formOrJson, '{"a":1}', { 'content-type': 'application/json' })).toMatchObject({
      value: { a: 1 },
    });
    await expect(read(formOrJson, undefined)).rejects.toMatchObject({
      errors: { data_json: 'Field required [input: None]' },
    });
  });
});

test('an unexpected body is ignored', async () => {
  expect(await read({ kind: 'none' }, '{')).toMatchObject({ value: undefined, text: '' });
});
