import { RegoError } from '../errors.ts';
import type { Run } from '../run/context.ts';
import { leastLength, plainText } from '../values/text.ts';
import { RegoSet, weightOf } from '../values/value.ts';
import { type Args, arrayAt } from './operands.ts';
import { theme } from './registry.ts';

/** The function that templates (`$"…{x}…"`) call. */
export const INTERPOLATION = theme('strings', [['internal.template_string', ['array'], 'string', interpolate]]);

/** Joins the parts of a template: constants as they are, expressions as sets with one value or none. */
function interpolate(args: Args, { budget }: Run): string {
  let whole = '';
  for (const part of arrayAt(args, 0)) {
    const [value, second] = part instanceof RegoSet ? part.members() : [part];
    if (second !== undefined) throw new RegoError('eval', 'an expression of a template must not have several values');
    budget.spend(value === undefined ? 1 : weightOf(value));
    if (value !== undefined) budget.string(whole.length + leastLength(value, budget.limits.string));
    whole += value === undefined ? '<undefined>' : plainText(value);
    budget.string(whole.length);
  }
  return whole;
}
