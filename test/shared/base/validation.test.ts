import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { invalid, ServiceError } from '#shared/base/errors.ts';
import { acrossFields, collect, noErrors, shownInput, validate } from '#shared/base/validation.ts';

const errorsOf = (schema: z.ZodType, input: unknown, prefix?: string) => {
  const errors = noErrors();
  validate(schema, input, { whole: 'payload', ...(prefix && { prefix }) }, errors);
  return { ...errors };
};
/** The text for one field. */
const textOf = (schema: z.ZodType, input: unknown) => errorsOf(z.object({ f: schema }), { f: input }).f;

describe('texts of validation errors', () => {
  test.each<[string, z.ZodType, unknown, string]>([
    ['a missing field', z.string(), undefined, 'Field required [input: None]'],
    ['a missing choice', z.enum(['a', 'b']), undefined, 'Field required [input: None]'],
    [
      'a pattern',
      z.string().regex(/^[a-zA-Z0-9\-._~]+$/),
      'bad identifier',
      "String should match pattern '^[a-zA-Z0-9\\-._~]+$' [input: bad identifier]",
    ],
    [
      'a pattern with a slash',
      z.string().regex(/^[a-z~/]*$/),
      'A',
      "String should match pattern '^[a-z~/]*$' [input: A]",
    ],
    ['a string', z.string(), 7, 'Input should be a valid string [input: 7]'],
    ['a null string', z.string(), null, 'Input should be a valid string [input: None]'],
    [
      'an integer as text',
      z.int(),
      'x',
      'Input should be a valid integer, unable to parse string as an integer [input: x]',
    ],
    ['a fraction', z.int(), 1.5, 'Input should be a valid integer, got a number with a fractional part [input: 1.5]'],
    [
      'a number as text',
      z.number(),
      'x',
      'Input should be a valid number, unable to parse string as a number [input: x]',
    ],
    ['a boolean as text', z.boolean(), 'x', 'Input should be a valid boolean, unable to interpret input [input: x]'],
    ['a boolean', z.boolean(), 3, 'Input should be a valid boolean [input: 3]'],
    ['a dictionary', z.record(z.string(), z.string()), [1], 'Input should be a valid dictionary [input: [1]]'],
    ['an object', z.object({}), true, 'Input should be a valid dictionary [input: True]'],
    ['a list', z.array(z.string()), 'x', 'Input should be a valid list [input: x]'],
    ['two choices', z.enum(['asc', 'desc']), 'up', "Input should be 'asc' or 'desc' [input: up]"],
    ['three choices', z.enum(['a', 'b', 'c']), '', "Input should be 'a', 'b' or 'c' [input: ]"],
    ['one choice', z.literal('flow'), 'env', "Input should be 'flow' [input: env]"],
    ['an empty string', z.string().min(1), '', 'String should have at least 1 character [input: ]'],
    ['a long string', z.string().max(2), 'abc', 'String should have at most 2 characters [input: abc]'],
    [
      'a short list',
      z.array(z.int()).min(2),
      [1],
      'List should have at least 2 items after validation, not 1 [input: [1]]',
    ],
    ['a small number', z.int().min(1), 0, 'Input should be greater than or equal to 1 [input: 0]'],
    ['a large number', z.int().max(100), 101, 'Input should be less than or equal to 100 [input: 101]'],
    ['an exclusive bound', z.number().gt(0), 0, 'Input should be greater than 0 [input: 0]'],
    ['an address', z.url(), 'nope', 'Input should be a valid URL [input: nope]'],
  ])('%s', (_, schema, input, text) => {
    expect(textOf(schema, input)).toBe(text);
  });

  test('a rule with its own text shows this text', () => {
    const schema = z.string().refine((text) => text !== 'x', { error: 'Not this one' });
    expect(textOf(schema, 'x')).toBe('Not this one');
  });

  test('a body that is no object is reported under the name of the whole', () => {
    expect(errorsOf(z.object({}), 'text')).toEqual({ payload: 'Input should be a valid dictionary [input: text]' });
  });
});

describe('names of fields', () => {
  test('are dotted, with places in lists in brackets, and prefixed for the query', () => {
    const schema = z.object({ a: z.object({ list: z.array(z.object({ n: z.int() })) }) });
    expect(errorsOf(schema, { a: { list: [{ n: 1 }, { n: 'x' }] } })).toHaveProperty(['a.list[1].n']);
    expect(errorsOf(z.object({ type: z.array(z.int()) }), { type: ['x'] }, 'query.')).toHaveProperty(['query.type[0]']);
  });

  test('names of unknown fields are the names that were sent', () => {
    expect(errorsOf(z.strictObject({ a: z.string() }), { a: 'x', more: 1 })).toEqual({
      more: 'Extra inputs are not permitted [input: 1]',
    });
  });

  test('only the first error of a field is shown', () => {
    const schema = z.string().min(3).regex(/^a/);
    expect(textOf(schema, 'b')).toBe('String should have at least 3 characters [input: b]');
  });

  test('names of keys of a dictionary are dotted, and their rule is shown', () => {
    const schema = z.object({ annotations: z.record(z.string().regex(/^[a-z]+$/), z.string()) });
    expect(errorsOf(schema, { annotations: { 'a-b': 'x' } })).toEqual({
      'annotations.a-b': "String should match pattern '^[a-z]+$' [input: a-b]",
    });
  });

  test('names of the fields of a union are those of the closest form', () => {
    const schema = z.object({ href: z.union([z.string(), z.object({ url: z.string() })]) });
    expect(errorsOf(schema, { href: { url: 1 } })).toEqual({ 'href.url': 'Input should be a valid string [input: 1]' });
  });

  test('names of prototype members are ordinary names', () => {
    const errors = noErrors();
    validate(z.strictObject({}), JSON.parse('{"__proto__":1,"constructor":2}'), { whole: 'payload' }, errors);
    expect(Object.keys(errors).toSorted()).toEqual(['__proto__', 'constructor']);
    expect(JSON.parse(JSON.stringify({ errors })).errors).toHaveProperty('constructor');
  });

  test('are bounded in number', () => {
    const errors = errorsOf(z.array(z.int()), new Array(500).fill('x'));
    expect(Object.keys(errors)).toHaveLength(100);
  });
});

describe('a check across fields', () => {
  const either = acrossFields(({ a, b }, refuse) => {
    if (a === undefined && b === undefined) refuse('a', 'Field required [input: None]');
  });
  const schema = z.object({ a: z.string().optional(), b: z.string().optional(), c: z.int(), d: z.int() }).check(either);

  test('runs also if other fields are missing or invalid', () => {
    expect(Object.keys(errorsOf(schema, { c: 'x' })).toSorted()).toEqual(['a', 'c', 'd']);
    expect(errorsOf(schema, { b: 'x', c: 1, d: 1 })).toEqual({});
  });

  test('does not run for what is no object', () => {
    expect(Object.keys(errorsOf(schema, ['x']))).toEqual(['payload']);
  });
});

describe('collect', () => {
  test('adds the errors of a refused part to those of other parts; the first error of a field stays', async () => {
    const errors = noErrors();
    errors['a'] = 'first';
    expect(
      await collect(errors, () => {
        throw invalid({ a: 'second', b: 'third' });
      }),
    ).toBeUndefined();
    expect(await collect(errors, async () => 7)).toBe(7);
    expect({ ...errors }).toEqual({ a: 'first', b: 'third' });
  });

  test.each([
    new ServiceError('too-large', 'too large'),
    new ServiceError('invalid', 'archived'),
    new Error('a fault'),
  ])('throws %s', async (error) => {
    await expect(
      collect(noErrors(), () => {
        throw error;
      }),
    ).rejects.toBe(error);
  });
});

describe('secrets in rejected input are not shown', () => {
  test.each<[string, z.ZodType, unknown]>([
    ['the value of a secret field', z.object({ secret: z.int() }), { secret: 'hush' }],
    ['an item of a secret field', z.object({ tokens: z.array(z.int()) }), { tokens: ['hush'] }],
    ['an unknown secret field', z.strictObject({}), { api_key: 'hush' }],
    ['a dictionary with a secret', z.object({ f: z.string() }), { f: { list: [{ password: 'hush' }] } }],
    ['a document in a document', z.object({}), '{"secret":"hush"}'],
    ['the user of an address', z.object({ f: z.int() }), { f: 'https://me:hush@git.example/x' }],
  ])('%s', (_, schema, input) => {
    const errors = JSON.stringify(errorsOf(schema, input));
    expect(errors).toContain('hidden');
    expect(errors).not.toContain('hush');
  });

  test('a missing secret is reported as missing', () => {
    expect(errorsOf(z.object({ secret: z.string() }), {})).toEqual({ secret: 'Field required [input: None]' });
  });
});

test('long rejected input is shortened', () => {
  expect(shownInput('x'.repeat(1000))).toBe(`${'x'.repeat(200)}…`);
  expect(shownInput({ a: 'y'.repeat(1000) })).toHaveLength(201);
});
