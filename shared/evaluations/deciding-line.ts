import * as z from 'zod';
import type { Explanation } from '#shared/engines/policy-engine.ts';

/** Where the program of an evaluation stopped (rules/evaluations.md#recording). */
export const DecidingLine = z.object({
  file: z.string(),
  line: z.number(),
  /** What did not hold: `` `input.trail.is_compliant` is false ``. */
  what: z.string(),
});
export type DecidingLine = z.infer<typeof DecidingLine>;

const MOST_VALUES = 3;
const LONGEST = 300;

/**
 * Returns the line at which the rule `allow` stopped, and what did not hold there.
 *
 * @returns null if no clause of the rule was tried, as where only its default applies
 */
export function decidingLine({ rules }: Explanation): DecidingLine | null {
  const tried = rules.find(
    ({ rule, is_default: isDefault, stopped }) => rule === 'data.policy.allow' && !isDefault && stopped !== null,
  );
  if (!tried?.stopped) return null;
  const { line, source, values } = tried.stopped;
  const found = values.slice(0, MOST_VALUES).map(({ term, value }) => `\`${term}\` is ${value ?? 'undefined'}`);
  const what = found.length === 0 ? `\`${source}\` does not hold` : found.join(' and ');
  return { file: tried.file, line, what: what.length > LONGEST ? `${what.slice(0, LONGEST)}…` : what };
}
