import type { JudgedRow } from '../rules/content.ts';
import { tooManyResults } from '../rules/sentences.ts';

/**
 * The most results of rules in one answer (rules/environments.md#snapshot-detail). Each takes about 350 bytes of JSON,
 * and twice as much memory while the answer is made.
 */
export const MOST_SHOWN = 250_000;

/**
 * Refuses an answer with the decisions about rows before it is made.
 * @throws ServiceError `answer-too-large` if the decisions have more than {@link MOST_SHOWN} results of rules
 */
export function refuseLongAnswer(rows: readonly Pick<JudgedRow, 'evaluations'>[]): void {
  let shown = 0;
  for (const { evaluations } of rows) {
    for (const { rules, outcomes } of evaluations) shown += rules.length * outcomes.length;
  }
  if (shown > MOST_SHOWN) throw tooManyResults({ shown, most: MOST_SHOWN });
}
