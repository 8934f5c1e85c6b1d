import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { noErrors, validate } from '#shared/base/validation.ts';
import {
  booleanField,
  integerField,
  listField,
  numberField,
  pageFields,
  readQuery,
} from '#shared/http/query-fields.ts';

const Query = z.object({
  ...pageFields({ perPage: 20 }),
  archived: booleanField().optional(),
  start_ts: numberField().optional(),
  limit: integerField({ min: 0, max: 50 }).optional(),
  search: z.string().optional(),
  tag: listField(z.string()).optional(),
  sort_direction: z.enum(['asc', 'desc']).default('asc'),
});

function read(raw: string) {
  const errors = noErrors();
  const value = validate(Query, readQuery(raw, Query, errors), { whole: 'query', prefix: 'query.' }, errors);
  return { value, errors: { ...errors } };
}

describe('query parameters', () => {
  test('are read from text, with defaults for missing ones', () => {
    expect(read('page=3&archived=True&start_ts=1.5&limit=0&search=a%2Bb+c&tag=x&tag=y').value).toEqual({
      page: 3,
      per_page: 20,
      archived: true,
      start_ts: 1.5,
      limit: 0,
      search: 'a+b c',
      tag: ['x', 'y'],
      sort_direction: 'asc',
    });
    expect(read('').value).toEqual({ page: 1, per_page: 20, sort_direction: 'asc' });
  });

  test.each([
    ['page=x', 'query.page', 'Input should be a valid integer, unable to parse string as an integer [input: x]'],
    ['page=1.5', 'query.page', 'Input should be a valid integer, unable to parse string as an integer [input: 1.5]'],
    ['page=0', 'query.page', 'Input should be greater than or equal to 1 [input: 0]'],
    ['per_page=101', 'query.per_page', 'Input should be less than or equal to 100 [input: 101]'],
    ['archived=maybe', 'query.archived', 'Input should be a valid boolean, unable to interpret input [input: maybe]'],
    [
      'start_ts=NaN',
      'query.start_ts',
      'Input should be a valid number, unable to parse string as a number [input: NaN]',
    ],
    [
      'start_ts=Infinity',
      'query.start_ts',
      'Input should be a valid number, unable to parse string as a number [input: Infinity]',
    ],
    ['sort_direction=up', 'query.sort_direction', "Input should be 'asc' or 'desc' [input: up]"],
  ])('%s is refused', (raw, name, text) => {
    expect(read(raw).errors).toEqual({ [name]: text });
  });

  test('a page far past the end is valid', () => {
    expect(read('page=1000000000000').value?.page).toBe(1_000_000_000_000);
  });

  test('the last of a repeated parameter counts', () => {
    expect(read('page=2&page=5').value?.page).toBe(5);
  });

  test('a list of one value is a list', () => {
    expect(read('tag=only').value?.tag).toEqual(['only']);
  });

  test.each(['true', 'True', '1', 'TRUE'])('%s is true', (word) => {
    expect(read(`archived=${word}`).value?.archived).toBe(true);
  });

  test.each(['false', 'False', '0'])('%s is false', (word) => {
    expect(read(`archived=${word}`).value?.archived).toBe(false);
  });

  test.each(['page=&per_page=&archived=&start_ts=&limit=&search=&tag=&tag=&sort_direction=', 'page&archived&tag'])(
    'an empty value counts as absent: %s',
    (raw) => {
      expect(read(raw)).toEqual({ value: read('').value, errors: {} });
    },
  );

  test('an empty value beside others does not count', () => {
    expect(read('page=2&page=&tag=&tag=x&tag=').value).toMatchObject({ page: 2, tag: ['x'] });
  });

  test.each([
    ['pag=2', 'query.pag', "Unknown parameter 'pag'. The nearest known parameter is 'page'"],
    ['perPage=2', 'query.perPage', "Unknown parameter 'perPage'. The nearest known parameter is 'per_page'"],
    ['TAG=x', 'query.TAG', "Unknown parameter 'TAG'. The nearest known parameter is 'tag'"],
    ['archive=', 'query.archive', "Unknown parameter 'archive'. The nearest known parameter is 'archived'"],
    ['=x', 'query.', "Unknown parameter ''. The nearest known parameter is 'tag'"],
    ['__proto__=x', 'query.__proto__', expect.stringContaining("Unknown parameter '__proto__'")],
  ])('an unknown one is refused: %s', (raw, name, text) => {
    expect(read(raw).errors).toEqual({ [name]: text });
  });

  test('unknown ones are refused once each, together with values that cannot be read', () => {
    const { errors } = read('page=x&a=1&a=2&constructor=y');
    expect(Object.keys(errors).toSorted()).toEqual(['query.a', 'query.constructor', 'query.page']);
  });

  test('unknown ones do not make an answer grow without end', () => {
    const many = Array.from({ length: 5_000 }, (_, n) => `a${n}=1`).join('&');
    const { errors } = read(`${'n'.repeat(5_000)}=1&${many}`);
    expect(Object.keys(errors)).toHaveLength(100);
    expect(JSON.stringify(errors).length).toBeLessThan(20_000);
  });

  test('where an endpoint takes none, the error says so', () => {
    const errors = noErrors();
    readQuery('page=1', z.object({}), errors);
    expect({ ...errors }).toEqual({ 'query.page': "Unknown parameter 'page'. This endpoint takes no parameters" });
  });

  test('broken percent encodings stay unchanged', () => {
    expect(read('search=100%').value?.search).toBe('100%');
  });
});
