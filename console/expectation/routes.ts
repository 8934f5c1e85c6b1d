import { read } from '../client/query-client.ts';
import { route } from '../routes/route.ts';
import { oneOf, pageNumber, type SearchOf, text } from '../routes/search-params.ts';
import { expectation, expectationSubjects, expectations, expectationVersions } from './operations.ts';

/** The routes of the theme, and what their pages read. Loaded at once, so it holds no part of a page. */

/** Expectations and environments of a page: as many as the service answers at once. */
const PER_PAGE = 100;

export const readExpectations = (org: string, cursor?: string) =>
  read(expectations, { org }, { include: ['counts'], per_page: PER_PAGE, ...(cursor !== undefined && { cursor }) });

export const expectationsRoute = route({
  name: 'expectations',
  search: { cursor: text },
  reads: ({ org }, { cursor }) => [readExpectations(org, cursor)],
});

interface Place {
  org: string;
  expectation: string;
}

const search = { state: oneOf('met', 'late', 'missed', 'unknown'), cursor: text, page: pageNumber };

export const readExpectation = ({ org, expectation: name }: Place) => read(expectation, { org, name });

export const readSubjects = (
  { org, expectation: name }: Place,
  { state, cursor }: Pick<SearchOf<typeof search>, 'state' | 'cursor'>,
) =>
  read(
    expectationSubjects,
    { org, name },
    { per_page: PER_PAGE, ...(state !== undefined && { state }), ...(cursor !== undefined && { cursor }) },
  );

export const readVersions = ({ org, expectation: name }: Place, page = 1) =>
  read(expectationVersions, { org, name }, { page, per_page: 50 });

export const expectationRoute = route({
  name: 'expectation',
  search,
  reads: (params, given) => [readExpectation(params), readSubjects(params, given), readVersions(params, given.page)],
});
