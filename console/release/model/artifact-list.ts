import { stateOfWord } from '../../model/states.ts';
import { count } from '../../model/words.ts';
import type { Artifact } from '../operations.ts';

const WORDS = [
  ['non-compliant', 'not compliant'],
  ['incomplete', 'incomplete'],
  ['compliant', 'compliant'],
] as const;

/** What the list of artifacts says first. The list is not counted, so the sentence is about its page. */
export function artifactListSentence(
  artifacts: readonly Pick<Artifact, 'state' | 'running'>[],
  { isFiltered, page }: { isFiltered: boolean; page: number },
): string {
  if (artifacts.length === 0) {
    if (page > 1) return 'There are no older artifacts.';
    return isFiltered ? 'No artifact fits the filter.' : 'Nobody has reported an artifact yet.';
  }
  const states = WORDS.map(
    ([state, word]) => [artifacts.filter((one) => stateOfWord(one.state) === state).length, word] as const,
  )
    .filter(([number]) => number > 0)
    .map(([number, word]) => `${number} ${word}`);
  const running = artifacts.filter((one) => one.running.length > 0).length;
  const which = page > 1 ? `Page ${page}: ` : 'The newest ';
  return `${which}${count(artifacts.length, 'report')} of artifacts: ${states.join(', ')}; ${running} of them ${running === 1 ? 'runs' : 'run'} now.`;
}
