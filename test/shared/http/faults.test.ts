import { describe, expect, test } from 'vitest';
import { Contention } from '#shared/base/retry.ts';
import { flowNotFound } from '#shared/evidence/rules/sentences.ts';
import { errorBody, httpErrorOf, statusOf } from '#shared/http/errors.ts';
import { toServiceError } from '#shared/http/faults.ts';

const named = (name: string, more: object = {}) => Object.assign(new Error('internal detail'), { name, ...more });

describe('errors that a handler throws', () => {
  test('are shown to the caller if they are outcomes', () => {
    const error = flowNotFound();
    expect(toServiceError(error)).toBe(error);
  });

  test.each([
    new Contention(),
    named('ThrottlingException'),
    named('ProvisionedThroughputExceededException'),
    named('InternalServerError', { $metadata: { httpStatusCode: 500 } }),
    named('Error', { code: 'ECONNREFUSED' }),
    named('TimeoutError'),
  ])('is 503 where AWS is busy or out of reach: %s', (error) => {
    expect(toServiceError(error)).toMatchObject({ kind: 'busy', message: 'Service unavailable', cause: error });
    expect(httpErrorOf(toServiceError(error))).toEqual({ status: 503, headers: { 'retry-after': '1' } });
  });

  test('are 409 if two requests with one Idempotency-Key collided', () => {
    expect(statusOf(toServiceError(new Contention(), { idempotent: true }))).toBe(409);
  });

  test.each([named('ValidationException', { $metadata: { httpStatusCode: 400 } }), new TypeError('x'), 'text', null])(
    'is 500 otherwise, and says nothing: %s',
    (error) => {
      expect(errorBody(toServiceError(error))).toEqual({ message: 'Internal server error' });
      expect(statusOf(toServiceError(error))).toBe(500);
    },
  );
});
