import { readUser } from '../account/user.ts';
import { read } from '../client/query-client.ts';
import { route } from '../routes/route.ts';
import { instant, oneOf, type SearchParam, text, time } from '../routes/search-params.ts';
import { components, exposure } from './operations.ts';
import { watchCase, watches } from './watch/operations.ts';

/** The routes of the theme, and what their pages read. Loaded at once, so it holds no part of a page. */

/** As long as the service takes one: it says what is wrong with a longer one. */
const range: SearchParam<string> = (given) => (given === '' || given.length > 5_000 ? undefined : given);

interface Question {
  purl: string;
  versions?: string | undefined;
  at?: string | undefined;
}

/** As many as the service allows, because a reader waits for the last page of the answer. */
const PER_PAGE = 100;

const queryOf = ({ purl, versions, at }: Question, cursor: string | null) => {
  const seconds = at === undefined ? undefined : time(at);
  return {
    purl,
    per_page: PER_PAGE,
    ...(versions !== undefined && { versions }),
    ...(seconds !== undefined && { at: seconds }),
    ...(cursor !== null && { cursor }),
  };
};

/** Pages of one answer belong together, so they are not read again one by one. */
const kept = { staleTime: 60_000 };

export const readExposure = (org: string, question: Question, cursor: string | null) => ({
  ...read(exposure, { org }, queryOf(question, cursor)),
  ...kept,
});

export const readBuilds = (org: string, question: Question, cursor: string | null) => ({
  ...read(components, { org }, queryOf(question, cursor)),
  ...kept,
});

export const readPackages = (org: string, name: string, cursor: string | null) => ({
  ...read(components, { org }, { name, ...(cursor !== null && { cursor }) }),
  ...kept,
});

const tab = oneOf('builds');

export const componentsRoute = route({
  name: 'components',
  search: { q: text, purl: text, versions: range, at: instant, tab },
  // The router would show a refused question as a page that failed. The page shows it at the fields, so the router waits for the caller.
  reads: ({ org }, { q, purl, tab, ...rest }) => {
    if (purl !== undefined) {
      return [readUser(), (tab === 'builds' ? readBuilds : readExposure)(org, { purl, ...rest }, null)];
    }
    return q === undefined ? [] : [readUser(), readPackages(org, q, null)];
  },
});

export const readWatches = (org: string, cursor: string | undefined) =>
  read(watches, { org }, { per_page: 50, ...(cursor !== undefined && { cursor }) });

export const watchesRoute = route({
  name: 'watches',
  search: { cursor: text },
  reads: ({ org }, { cursor }) => [readWatches(org, cursor)],
});

export const readWatchCase = ({ org, watch }: { org: string; watch: string }) => read(watchCase, { org, name: watch });

export const watchRoute = route({ name: 'watch', search: {}, reads: (params) => [readWatchCase(params)] });
