import { endpointGroup } from '#shared/http/endpoint.ts';
import { dryRunEvaluation } from './dry-run-evaluation.ts';
import { getEvaluation } from './get-evaluation.ts';
import { getEvaluationRequest } from './get-evaluation-request.ts';
import { listEvaluations } from './list-evaluations.ts';
import { replayEvaluation } from './replay-evaluation.ts';
import { requestEvaluation } from './request-evaluation.ts';

export const evaluationsGroup = endpointGroup({
  name: 'evaluations',
  about: 'Runs of policy programs on trails as of an instant, with proof, replay and decision.',
  endpoints: [
    requestEvaluation,
    dryRunEvaluation,
    listEvaluations,
    getEvaluation,
    getEvaluationRequest,
    replayEvaluation,
  ],
});
