import type { ReasonStep } from '#shared/base/reasons/steps.ts';
import { quote } from './quote.ts';

/** Longest quote of a reason, in characters. */
export const LONGEST_REASON = 400;

/** Returns a step of a chain of reasons as a row of an answer (rules/agents.md#text-of-others). */
export const stepRow = ({ step, name, says, html_url: url, compliant }: ReasonStep) => ({
  sentence: quote(says, LONGEST_REASON),
  facts: { about: step, name: quote(name), says: quote(says, LONGEST_REASON), compliant, record: url },
});
