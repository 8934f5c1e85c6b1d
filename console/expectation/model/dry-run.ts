import { duration, formatted } from '../../model/time.ts';
import { count } from '../../model/words.ts';
import type { DryRun } from '../operations.ts';
import { subjectText } from './gaps.ts';

/** What a dry run found, in words (rules/expectations.md#dry-run). */

const DAY = 86_400;
/** Gaps that are named one by one. The command below the form has the others. */
const MOST_NAMED = 5;

const time = (at: number): string =>
  `${formatted(at, 'utc', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })}`;

/** One sentence that says how often it would have missed and how many messages that makes, then the newest gaps. */
export function dryRunLines(answer: DryRun): string[] {
  const { gaps, gaps_at_least: number, messages_at_least: messages, unknown_intervals: unknown } = answer;
  const days = count(Math.max(1, Math.round((answer.until - answer.from) / DAY)), 'day');
  const least = answer.exact ? '' : 'at least ';
  const total = messages.missed + messages.met_again;
  const lines =
    number === 0
      ? [
          answer.exact
            ? `It would not have missed in ${days}: no messages.`
            : `Nothing is known that it would have missed in ${days}.`,
        ]
      : [
          `It would have missed ${least}${times(number)} in ${days}: ${least}${count(total, 'message')}. ${answer.subjects_with_gaps_at_least} of ${count(answer.subjects, 'subject')} had a gap.`,
          ...gaps
            .slice(0, MOST_NAMED)
            .map(
              ({ subject, from, until, seconds }) =>
                `${subjectText(subject)}: ${duration(seconds)}, from ${time(from)} UTC${until === null ? ', and it lasts' : ''}`,
            ),
          ...(number > MOST_NAMED ? [`${number - MOST_NAMED} more`] : []),
        ];
  if (answer.subjects === 0) return ['Nothing is in its scope now, so nothing could have been missed.'];
  return unknown === 0
    ? lines
    : [...lines, `In ${count(unknown, 'interval')} nobody knows: reports were not counted, or only by the hour.`];
}

const times = (number: number): string => (number === 1 ? 'once' : `${number.toLocaleString('en')} times`);
