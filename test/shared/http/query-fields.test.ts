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
  const value = validate(Query, readQuery(raw, Query), { whole: 'query', prefix: 'query.' }, errors);
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
    ['page=', 'query.page', 'Input should be a valid integer, unable to parse string as an integer [input: ]'],
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

  test('names of prototype members are ordinary names', () => {
    expect(read('__proto__=x&constructor=y').value).toEqual({ page: 1, per_page: 20, sort_direction: 'asc' });
  });

  test('broken percent encodings stay unchanged', () => {
    expect(read('search=100%').value?.search).toBe('100%');
  });
});
