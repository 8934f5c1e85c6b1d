import type { listEnvironments } from '#functions/environments/list-environments.ts';
import type { AnswerOf } from '../../client/operations.ts';
import { count } from '../../model/words.ts';
import type { Environment } from '../operations.ts';

interface EnvironmentsPage {
  environments: readonly Environment[];
  total: number;
  page: number;
  perPage: number;
  pageCount: number;
}

/** A page of environments. Without `page`, `per_page` and `include` the API answers an array of all of them. */
export function pageOfEnvironments(answer: AnswerOf<typeof listEnvironments>): EnvironmentsPage {
  if (Array.isArray(answer)) {
    return { environments: answer, total: answer.length, page: 1, perPage: Math.max(answer.length, 1), pageCount: 1 };
  }
  const { environments, total_count: total, page, per_page: perPage, total_pages: pageCount } = answer;
  return { environments, total, page, perPage, pageCount };
}

/** What the list of environments says first. */
export function environmentListSentence({ environments, total }: EnvironmentsPage, isFiltered: boolean): string {
  if (total === 0) return isFiltered ? 'No environment fits the filter.' : 'This organization has no environment yet.';
  const shown = environments.length < total ? ` of the ${environments.length} on this page` : '';
  const failing = environments.filter(({ state }) => state === false).length;
  const unknown = environments.filter(({ state }) => state === null).length;
  const parts = [
    failing > 0 && `${failing} not compliant`,
    environments.length - failing - unknown > 0 && `${environments.length - failing - unknown} compliant`,
    unknown > 0 && `${unknown} unknown`,
  ].filter((part) => part !== false);
  return `${count(total, 'environment')}${isFiltered ? ' fit the filter' : ''}${shown}: ${parts.join(', ')}.`.replace(
    / of the (\d+) on this page:/,
    '. Of the $1 on this page:',
  );
}
