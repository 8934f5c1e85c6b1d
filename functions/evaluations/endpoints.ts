import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { getEvaluation } from './get-evaluation.ts';
import { listEvaluations } from './list-evaluations.ts';
import { replayEvaluation } from './replay-evaluation.ts';
import { requestEvaluation } from './request-evaluation.ts';

export const evaluationsGroup: EndpointGroup = {
  name: 'evaluations',
  about: 'Policy programs on trails as they were at an instant, with proof, replay and a decision.',
  endpoints: [requestEvaluation, listEvaluations, getEvaluation, replayEvaluation],
};
