import type * as z from 'zod';
import { noErrors, refuseIfAny, validate } from '#shared/base/validation.ts';

/**
 * Parses a value as an endpoint parses a part of a request.
 * @throws ServiceError `invalid` with the texts by field
 */
export function parseOrRefuse<S extends z.ZodType>(schema: S, input: unknown, naming: { whole: string }): z.output<S> {
  const errors = noErrors();
  const value = validate(schema, input, naming, errors);
  refuseIfAny(errors);
  return value as z.output<S>;
}
