import { describe, expect, test } from 'vitest';
import type { TestAnswer } from '#test/support/gateway.ts';
import { AnswerChecker } from './answers.ts';
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
const problemOf = (change: Partial<TestAnswer>, isReached = true) => {
  const headers = { 'x-request-id': 'r', 'content-type': 'application/json' };
  const text = '{"name":"web"}';
  const answer = {
    status: 200,
    headers,
    cookies: [],
    text,
    bytes: Buffer.from(text),
    json: { name: 'web' },
    ...change,
  };
  if (!operation) throw new Error('The document has no operation');
  return new AnswerChecker(document).problemOf(operation, isReached, answer);
};

describe('an answer', () => {
  test('that matches the document has no problem', () => {
    expect(operation).toMatchObject({ method: 'GET', path: '/api/v2/things/{org}' });
    expect(problemOf({})).toBeUndefined();
  });

  test.each([
    ['that is a fault', { status: 500, text: '{"message":"Internal server error"}' }, 'a fault'],
    ['without the id of its request', { headers: { 'content-type': 'application/json' } }, 'no X-Request-ID'],
    ['of an undeclared status', { status: 418 }, 'the status 418'],
    [
      'of an undeclared type',
      { headers: { 'x-request-id': 'r', 'content-type': 'text/plain' } },
      'the type text/plain',
    ],
    ['without a required field', { json: {} }, "must have required property 'name'"],
    ['that breaks a schema behind a reference', { json: { name: 'long' } }, "at '/name'"],
  ])('an answer %s has a problem', (_, change, text) => {
    expect(problemOf(change)).toContain(text);
  });

  test('an answer from an address that may belong to no operation is checked against the common rules only', () => {
    expect(problemOf({ status: 404, json: { message: 'Not Found' } }, false)).toBeUndefined();
    expect(problemOf({ status: 500 }, false)).toContain('a fault');
    expect(problemOf({ headers: {} }, false)).toBe('no X-Request-ID');
  });
});
