import type { Environment } from '../../environment/operations.ts';
import { timesFrom, timesText } from '../../model/pace.ts';
import { stateOfWord } from '../../model/states.ts';
import { count, listed } from '../../model/words.ts';
import type { HomeAction, NewestTrail } from '../operations.ts';

/** How many environments there are, and those that are not compliant. The list may hold only a page of all of them. */
interface HomeEnvironments {
  environments: readonly Environment[];
  total: number;
}

const nobodyCanRead = ({ unreadable }: { unreadable?: true | undefined }): boolean => unreadable === true;

/** Trails that need evidence or whose evidence failed. */
export const openTrails = (trails: readonly NewestTrail[]): NewestTrail[] =>
  trails.filter(({ compliance_state: word }) => stateOfWord(word) !== 'compliant');

export const failingActions = (actions: readonly HomeAction[]): HomeAction[] =>
  actions.filter((action) => action.is_failing && !nobodyCanRead(action));

/** What the first page of an organization says about its environments. */
export function environmentsSentence({ environments, total }: HomeEnvironments): string {
  const failing = environments.filter(({ state }) => state === false);
  const unknown = environments.filter(({ state }) => state === null);
  if (total === 0) return 'No environment reports to this organization yet.';
  if (failing.length > 0) {
    const names = listed(failing.map(({ name }) => name));
    return `${failing.length} of ${count(total, 'environment')} ${failing.length === 1 ? 'is' : 'are'} not compliant: ${names}.`;
  }
  if (unknown.length === total) return 'No environment has a verdict yet.';
  if (unknown.length === 0)
    return total === 1 ? 'The only environment is compliant.' : `All ${total} environments are compliant.`;
  return `No environment is known to be not compliant. Nothing judges ${listed(unknown.map(({ name }) => name))}.`;
}

/** What it says where nothing waits for people. Without a trail there is no evidence that could be complete. */
export const nothingNeeded = (trails: readonly NewestTrail[]): string =>
  `Nothing: ${trails.length === 0 ? 'no trail has begun yet' : 'the newest trails have all their evidence'}, and no action fails.`;

/** How fast the newest trails became compliant; null if none is compliant. */
export function speedText(trails: readonly NewestTrail[]): string | null {
  const done = trails.filter(({ compliance_state: word }) => stateOfWord(word) === 'compliant');
  const taken = done.map(({ created_at: from, last_modified_at: to }) => to - from);
  const text = timesText(timesFrom(taken), 'trail');
  return text === null
    ? null
    : `Compliant trails, from their begin to their last report: ${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

/** What it says about work that waits for people: among the newest trails, and among the actions. */
export function workSentence(trails: readonly NewestTrail[], actions: readonly HomeAction[]): string {
  const open = openTrails(trails).length;
  const failing = failingActions(actions).length;
  const parts = [
    open > 0 && `${open} of the newest ${count(trails.length, 'trail')} ${open === 1 ? 'needs' : 'need'} evidence`,
    failing > 0 && `${count(failing, 'action')} ${failing === 1 ? 'fails' : 'fail'}`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? '' : `${parts.join(', and ')}.`;
}
