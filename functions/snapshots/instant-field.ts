import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { withInput } from '#shared/base/validation.ts';
import { dateTime } from '#shared/environments/rules/instants.ts';

const FORM = 'Input should be seconds since the epoch, a date such as 2026-11-01, or 2026-11-01T09:00:00Z';
const NUMBER = /^\d{1,12}(\.\d+)?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Reads an instant as seconds. A date is its begin in UTC. Other texts stay as they are, so that the error quotes them. */
function readInstant(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  const text = input.trim();
  if (NUMBER.test(text)) return Number(text);
  const at = dateTime(DATE.test(text) ? `${text}T00:00:00` : text);
  return at === undefined ? input : toSeconds(at);
}

/** An instant of the query, in seconds since the epoch or as date and time in UTC (rules/environments.md#changes-between-instants). */
export const instantField = () =>
  z.preprocess(readInstant, z.number({ error: ({ input }) => withInput(FORM, input) }).min(0));
