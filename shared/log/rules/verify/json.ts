import * as z from 'zod';
import { JsonTextError, MAX_DEPTH, scanJson } from '#shared/base/json-text.ts';
import { Fault } from './fault.ts';

/** Records nest what callers sent. No function of the verifier ends its stack at this depth. */
export const NESTING = { maxDepth: 2 * MAX_DEPTH };

/** Parses JSON. @throws Fault if it is none, or is nested too deep */
export function parsed(place: string, text: string, what = 'line'): unknown {
  try {
    scanJson(text, NESTING);
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof JsonTextError) throw new Fault(place, `the ${what} has ${error.message}`, error);
    throw new Fault(place, `the ${what} is not JSON`, error);
  }
}

/** Reads a record with its schema. @throws Fault if it has another form */
export function fitting<T>(place: string, schema: z.ZodType<T>, record: unknown): T {
  const read = schema.safeParse(record);
  if (!read.success) throw new Fault(place, `the record has another form: ${z.prettifyError(read.error)}`);
  return read.data;
}
