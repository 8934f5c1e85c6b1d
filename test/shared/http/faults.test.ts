import { describe, expect, test } from 'vitest';
import { Contention } from '#shared/base/retry.ts';
import { flowNotFound } from '#shared/evidence/rules/sentences.ts';
import { toApiError } from '#shared/http/faults.ts';

const named = (name: string, more: object = {}) => Object.assign(new Error('internal detail'), { name, ...more });

describe('errors that a handler throws', () => {
  test('are shown to the caller if they are outcomes', () => {
    const error = flowNotFound();
    expect(toApiError(error)).toBe(error);
  });

  test.each([
    new Contention(),
    named('ThrottlingException'),
    named('ProvisionedThroughputExceededException'),
    named('InternalServerError', { $metadata: { httpStatusCode: 500 } }),
    named('Error', { code: 'ECONNREFUSED' }),
    named('TimeoutError'),
  ])('is 503 where AWS is busy or out of reach: %s', (error) => {
    expect(toApiError(error)).toMatchObject({ status: 503, message: 'Service unavailable', cause: error });
    expect(toApiError(error).headers).toEqual({ 'retry-after': '1' });
  });

  test('are 409 if two requests with one Idempotency-Key collided', () => {
    expect(toApiError(new Contention(), { idempotent: true }).status).toBe(409);
  });

  test.each([named('ValidationException', { $metadata: { httpStatusCode: 400 } }), new TypeError('x'), 'text', null])(
    'is 500 otherwise, and says nothing: %s',
    (error) => {
      expect(toApiError(error).toBody()).toEqual({ message: 'Internal server error' });
      expect(toApiError(error).status).toBe(500);
    },
  );
});
