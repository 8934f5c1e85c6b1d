import { read } from '../client/query-client.ts';
import { route } from '../routes/route.ts';
import { day, daysPeriod, oneOf, pageNumber, type SearchOf, text } from '../routes/search-params.ts';
import { expectation, expectationSubjects, expectations, expectationVersions, gap, gaps } from './operations.ts';

/** The routes of the theme, and what their pages read. Loaded at once, so it holds no part of a page. */

/** Expectations and environments of a page: as many as the service answers at once. */
const PER_PAGE = 100;

export const readExpectations = (org: string, cursor?: string) =>
  read(expectations, { org }, { include: ['counts'], per_page: PER_PAGE, ...(cursor !== undefined && { cursor }) });

/** What is overdue. */
export const readOpenGaps = (org: string) => read(gaps, { org }, { state: 'open', per_page: 50 });

/** What was missed last. */
export const readNewestGaps = (org: string) => read(gaps, { org }, { per_page: 20 });

export const expectationsRoute = route({
  name: 'expectations',
  search: { cursor: text },
  reads: ({ org }, { cursor }) => [readExpectations(org, cursor), readOpenGaps(org), readNewestGaps(org)],
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

/** The newest gaps of an expectation. */
export const readGapsOf = ({ org, expectation: name }: Place) =>
  read(gaps, { org }, { expectation: name, per_page: 50 });

export const expectationRoute = route({
  name: 'expectation',
  search,
  reads: (params, given) => [
    readExpectation(params),
    readSubjects(params, given),
    readVersions(params, given.page),
    readGapsOf(params),
  ],
});

/** The newest gaps of an environment, or of a flow and its trails. */
export const readGapsAbout = (org: string, subject: string) => read(gaps, { org }, { subject, per_page: 50 });

/** The kinds of expectations. */
export const KINDS = ['reports', 'evidence', 'activity', 'completion', 'decision'] as const;

const gapsSearch = {
  subject: text,
  expectation: text,
  state: oneOf('open', 'closed', 'excused', 'unknown'),
  kind: oneOf(...KINDS),
  from: day,
  to: day,
  cursor: text,
};

export function readGaps(org: string, { from, to, ...given }: SearchOf<typeof gapsSearch>) {
  const { start_ts: begin, end_ts: until } = daysPeriod({ from, to });
  return read(
    gaps,
    { org },
    { per_page: 50, ...given, ...(begin !== undefined && { from: begin }), ...(until !== undefined && { until }) },
  );
}

export const gapsRoute = route({
  name: 'gaps',
  search: gapsSearch,
  reads: ({ org }, given) => [readGaps(org, given)],
});

export const readGap = ({ org, gap: id }: { org: string; gap: string }) => read(gap, { org, gap_id: id });

export const gapRoute = route({
  name: 'gap',
  search: {},
  reads: (params) => [readGap(params)],
});
