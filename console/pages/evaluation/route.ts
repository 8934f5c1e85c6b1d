import { evaluation, evaluationRequest } from '../../client/evaluations.ts';
import { read } from '../../client/query-client.ts';
import { oneOf } from '../../model/search-params.ts';
import type { ParamsOf } from '../route.ts';
import { route } from '../route.ts';

type Params = ParamsOf<'evaluation'>;

export const readEvaluation = ({ org, evaluation: id }: Params) => read(evaluation, { org, evaluation_id: id });
/** A second run of the program. Its outcome never changes, so it is read once. */
export const readExplanation = ({ org, evaluation: id }: Params) => ({
  ...read(evaluation, { org, evaluation_id: id }, { explain: true }),
  staleTime: Number.POSITIVE_INFINITY,
});
/** What was asked for never changes. */
export const readRequest = ({ org, evaluation: id }: Params) => ({
  ...read(evaluationRequest, { org, evaluation_id: id }),
  staleTime: 10 * 60_000,
});

export const evaluationRoute = route({
  name: 'evaluation',
  search: { explain: oneOf('true') },
  reads: (params) => [readEvaluation(params), readRequest(params)],
});
