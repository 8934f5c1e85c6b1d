import { describe, expect, test } from 'vitest';
import type { TestAnswer } from '#test/support/gateway.ts';
import { Promises } from './answers.ts';
import { type Document, operationsOf } from './document.ts';

const schema = { type: 'object', properties: { name: { $ref: '#/components/schemas/Name' } }, required: ['name'] };
const document = {
  paths: {
    '/things/{org}': {
      get: { operationId: 'getThing', responses: { 200: { content: { 'application/json': { schema } } } } },
    },
  },
  components: { schemas: { Name: { type: 'string', maxLength: 3 } } },
} as unknown as Document;

const [operation] = operationsOf(document, '/api/v2');
const problem = (change: Partial<TestAnswer>, reached = true) => {
  const headers = { 'x-request-id': 'r', 'content-type': 'application/json' };
  const answer = { status: 200, headers, text: '{"name":"web"}', json: { name: 'web' }, ...change };
  if (!operation) throw new Error('The document has no operation');
  return new Promises(document).problemOf(operation, reached, answer);
};

describe('an answer', () => {
  test('as the document says has no problem', () => {
    expect(operation).toMatchObject({ method: 'GET', path: '/api/v2/things/{org}' });
    expect(problem({})).toBeUndefined();
  });

  test.each([
    ['a fault', { status: 500, text: '{"message":"Internal server error"}' }, 'a fault'],
    ['without the id of its request', { headers: { 'content-type': 'application/json' } }, 'no X-Request-ID'],
    ['of an undeclared status', { status: 418 }, 'the status 418'],
    [
      'of an undeclared type',
      { headers: { 'x-request-id': 'r', 'content-type': 'text/plain' } },
      'the type text/plain',
    ],
    ['without a required field', { json: {} }, "must have required property 'name'"],
    ['that breaks a schema behind a reference', { json: { name: 'long' } }, "at '/name'"],
  ])('%s has one', (_, change, text) => {
    expect(problem(change)).toContain(text);
  });

  test('of an address that may be nobody is held to the common rules alone', () => {
    expect(problem({ status: 404, json: { message: 'Not Found' } }, false)).toBeUndefined();
    expect(problem({ status: 500 }, false)).toContain('a fault');
    expect(problem({ headers: {} }, false)).toBe('no X-Request-ID');
  });
});
