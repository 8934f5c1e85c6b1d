import { firstMicrosFrom, lastMicrosTo } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { Window } from '#shared/series/series.ts';
import { numberField } from './query-fields.ts';

/** The two parameters of a list that may be cut to a time window (rules/lists.md#time-windows). */
export const windowFields = {
  start_ts: numberField().optional().meta({ description: 'Seconds since the epoch, inclusive' }),
  end_ts: numberField().optional().meta({ description: 'Seconds since the epoch, inclusive' }),
};

interface Asked {
  start_ts?: number | undefined;
  end_ts?: number | undefined;
}

/**
 * Returns the window in microseconds; undefined if the request has neither parameter. A record is in the window exactly
 * if its time, as answers show it, is not less than `start_ts` and not greater than `end_ts`.
 * @throws ApiError 400 if the window ends before it begins
 */
export function windowOf({ start_ts: start, end_ts: end }: Asked): Window | undefined {
  if (start === undefined && end === undefined) return undefined;
  if (start !== undefined && end !== undefined && start > end) {
    throw invalidField('query.start_ts', 'Input should be less than or equal to end_ts', start);
  }
  return {
    from: start === undefined ? 0 : firstMicrosFrom(start),
    to: end === undefined ? Number.MAX_SAFE_INTEGER : lastMicrosTo(end),
  };
}
