import Negotiator from 'negotiator';
import { CONTENT_TYPES } from '../answers.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Format } from '../request.ts';

/**
 * Returns the format of a success. An endpoint with two formats answers JSON to callers whose `Accept` prefers JSON, and
 * its usual format to all others (rules/requests.md#format-of-answers).
 */
export function formatFor(
  { produces = 'json', successAsJson }: Pick<Endpoint, 'produces' | 'successAsJson'>,
  accept: string | undefined,
): Format {
  if (!successAsJson) return produces;
  const usual = withoutParameters(CONTENT_TYPES[produces]);
  const preferred = new Negotiator({ headers: { accept } }).mediaType([usual, CONTENT_TYPES.json]);
  return preferred === CONTENT_TYPES.json ? 'json' : produces;
}

const withoutParameters = (type: string): string => type.split(';', 1)[0] ?? type;
