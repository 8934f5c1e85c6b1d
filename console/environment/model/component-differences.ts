import { count } from '../../model/words.ts';
import type { ComponentDifference, ComponentDifferences } from '../operations.ts';

/** What is said of the components of two artifacts (rules/components.md#differences). */

/** What differs, or why nobody knows. */
export function differencesSentence({
  from,
  to,
  counts,
}: Pick<ComponentDifferences, 'from' | 'to' | 'counts'>): string {
  if (counts === null) {
    const sides = [
      ['before', from.not_known],
      ['after', to.not_known],
    ] as const;
    const reasons = sides.flatMap(([side, why]) => (why === null ? [] : [`${side}: ${why}`]));
    return `Nobody can compare the components. ${reasons.join('; ')}.`;
  }
  const { added, removed, changed, same } = counts;
  const number = added + removed + changed;
  if (number === 0) return `Both hold the same ${count(same, 'package')}.`;
  const parts = [
    changed > 0 && `${changed} changed`,
    added > 0 && `${added} added`,
    removed > 0 && `${removed} removed`,
    `${same} the same`,
  ].filter((part) => part !== false);
  const verb = number === 1 ? 'differs' : 'differ';
  return `${count(number, 'package')} of ${number + same} ${verb}: ${parts.join(', ')}.`;
}

/** `newer`, `older`, `added`. */
export const kindOfDifference = ({ kind, direction }: Pick<ComponentDifference, 'kind' | 'direction'>): string =>
  direction ?? kind;

/** Versions of one side; a dash where it has none that the other lacks. */
export const versionsOf = (versions: readonly (string | null)[]): string =>
  versions.length === 0 ? '–' : versions.map((version) => version ?? 'no version').join(', ');
