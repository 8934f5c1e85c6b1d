import { evaluation, evaluationRequest } from '../../client/evaluations.ts';
import { read } from '../../client/query-client.ts';
import type { ParamsOf } from '../route.ts';
import { route } from '../route.ts';

type Params = ParamsOf<'evaluation'>;

export const readEvaluation = ({ org, evaluation: id }: Params) => read(evaluation, { org, evaluation_id: id });
/** What was asked for never changes. */
export const readRequest = ({ org, evaluation: id }: Params) => ({
  ...read(evaluationRequest, { org, evaluation_id: id }),
  staleTime: 10 * 60_000,
});

export const evaluationRoute = route({
  name: 'evaluation',
  search: {},
  reads: (params) => [readEvaluation(params), readRequest(params)],
});
