import { read } from '../client/query-client.ts';
import { readExpectations } from '../expectation/routes.ts';
import { route } from '../routes/route.ts';
import { oneOf, orderOf, pageNumber, type SearchOf, text } from '../routes/search-params.ts';
import { controls } from './operations.ts';
import { readControl, readCoverage, readDecisions, readVersions } from './reads.ts';

/** The routes of the theme, and what their pages read. Loaded at once, so it holds no part of a page. */

const controlsSearch = { q: text, tag: text, archived: oneOf('true'), sort: orderOf('name'), page: pageNumber };

export const readControls = (org: string, { q, tag, archived, sort, page }: SearchOf<typeof controlsSearch>) =>
  read(
    controls,
    { org },
    {
      per_page: 50,
      page: page ?? 1,
      ...(sort === '-name' && { sort_direction: 'desc' as const }),
      ...(q !== undefined && { search: q }),
      ...(tag !== undefined && { tag: [tag] }),
      ...(archived !== undefined && { archived: true }),
    },
  );

export const controlsRoute = route({
  name: 'controls',
  search: controlsSearch,
  reads: ({ org }, given) => [readControls(org, given)],
});

const tab = oneOf('gaps');

export const controlRoute = route({
  name: 'control',
  search: { tab },
  reads: (params, search) => [
    readControl(params),
    readCoverage(params),
    search.tab === 'gaps' ? readExpectations(params.org) : readDecisions(params),
  ],
});

const result = oneOf('true', 'false');

export const controlDecisionsRoute = route({
  name: 'control-decisions',
  search: { result, cursor: text },
  reads: (params, search) => [readControl(params), readCoverage(params), readDecisions(params, search)],
});

const covered = oneOf('true', 'false');

export const controlCoverageRoute = route({
  name: 'control-coverage',
  search: { covered, q: text, page: pageNumber },
  reads: (params, search) => [readControl(params), readCoverage(params), readCoverage(params, search)],
});

export const controlVersionsRoute = route({
  name: 'control-versions',
  search: { page: pageNumber },
  reads: (params, { page }) => [readControl(params), readCoverage(params), readVersions(params, page)],
});
