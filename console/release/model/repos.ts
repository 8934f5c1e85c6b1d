import { paceText } from '../../model/pace.ts';
import { duration } from '../../model/time.ts';
import { count } from '../../model/words.ts';
import type { Deployments, Repo } from '../operations.ts';

/** What the list of repositories says first. */
export function repoListSentence(total: number, isFiltered: boolean): string {
  if (total === 0) return isFiltered ? 'No repository fits the filter.' : 'No report has named a repository yet.';
  const repositories = total === 1 ? '1 repository' : `${total.toLocaleString('en')} repositories`;
  return `${repositories}${isFiltered ? ` ${total === 1 ? 'fits' : 'fit'} the filter` : ` ${total === 1 ? 'was' : 'were'} named by reports`}.`;
}

/** What the page of a repository says first. */
export function repoSentence({ latest_activity: at }: Pick<Repo, 'latest_activity'>, now: number): string {
  return at === null
    ? 'No report has named this repository since it was registered.'
    : `The last report that names this repository was made ${duration(now - at)} ago.`;
}

/** How often, in words: `5 deployments to prod in 28 days. About one deployment every 6 days.` */
export function deploymentsSentence({ environment, total_count: total, days }: Deployments): string {
  const what = `${total === 0 ? 'No deployment' : count(total, 'deployment')} to ${environment} in ${count(days.length, 'day')}.`;
  return total === 0 ? what : `${what} ${paceText(total, days.length, 'deployment')}`;
}
