import { stateOfWord } from '../../model/states.ts';
import { count, listed } from '../../model/words.ts';
import type { Flow } from '../operations.ts';

/** What the list of flows says first. `flows` are those of one page. */
export function flowListSentence(flows: readonly Flow[], total: number, isFiltered: boolean): string {
  if (total === 0) return isFiltered ? 'No flow fits the filter.' : 'This organization has no flow yet.';
  const named = (state: string) =>
    flows.filter(({ latest_state: word }) => word !== null && stateOfWord(word) === state).map(({ name }) => name);
  const failed = named('non-compliant');
  const open = named('incomplete');
  const parts = [
    failed.length > 0 && `The latest trail of ${listed(failed)} is not compliant.`,
    open.length > 0 && `The latest trail of ${listed(open)} is incomplete.`,
  ].filter((part) => part !== false);
  const whole = flows.length < total ? ' on this page' : '';
  if (parts.length === 0) parts.push(`No flow${whole} has a latest trail with a problem.`);
  return `${count(total, 'flow')}${isFiltered ? ' fit the filter' : ''}. ${parts.join(' ')}`;
}
