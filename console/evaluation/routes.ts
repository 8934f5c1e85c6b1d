import { read } from '../client/query-client.ts';
import type { ParamsOf } from '../routes/params.ts';
import { route } from '../routes/route.ts';
import { oneOf, pageNumber } from '../routes/search-params.ts';
import { evaluation, evaluationRequest, evaluations } from './operations.ts';

/** The routes of the theme, and what their pages read. Loaded at once, so it holds no part of a page. */

export const readEvaluations = (org: string, page = 1) => read(evaluations, { org }, { page, per_page: 50 });

export const evaluationsRoute = route({
  name: 'evaluations',
  search: { page: pageNumber },
  reads: ({ org }, { page }) => [readEvaluations(org, page)],
});

type EvaluationPlace = ParamsOf<'evaluation'>;

export const readEvaluation = ({ org, evaluation: id }: EvaluationPlace) =>
  read(evaluation, { org, evaluation_id: id }, { reasons: 'chain' as const });
/** A second run of the program. Its outcome never changes, so it is read once. */
export const readExplanation = ({ org, evaluation: id }: EvaluationPlace) => ({
  ...read(evaluation, { org, evaluation_id: id }, { explain: true }),
  staleTime: Number.POSITIVE_INFINITY,
});
/** What was asked for never changes. */
export const readRequest = ({ org, evaluation: id }: EvaluationPlace) => ({
  ...read(evaluationRequest, { org, evaluation_id: id }),
  staleTime: 10 * 60_000,
});

export const evaluationRoute = route({
  name: 'evaluation',
  search: { explain: oneOf('true') },
  reads: (params) => [readEvaluation(params), readRequest(params)],
});
