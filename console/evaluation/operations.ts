import type { getEvaluation } from '#functions/evaluations/get-evaluation.ts';
import type { getEvaluationRequest } from '#functions/evaluations/get-evaluation-request.ts';
import type { listEvaluations } from '#functions/evaluations/list-evaluations.ts';
import type { replayEvaluation as replay } from '#functions/evaluations/replay-evaluation.ts';
import { type AnswerOf, operation } from '../client/operations.ts';

/** Operations on evaluations. */
export const evaluations = operation<typeof listEvaluations>()('GET', '/evaluations/{org}', 'reader');
export const evaluation = operation<typeof getEvaluation>()('GET', '/evaluations/{org}/{evaluation_id}', 'reader');
export const evaluationRequest = operation<typeof getEvaluationRequest>()(
  'GET',
  '/evaluations/{org}/{evaluation_id}/request',
  'reader',
);
export const replayEvaluation = operation<typeof replay>()(
  'POST',
  '/evaluations/{org}/{evaluation_id}/replay',
  'member',
);

export type Evaluation = AnswerOf<typeof getEvaluation>;
export type EvaluationExplained = NonNullable<Evaluation['explanation']>;
export type RuleExplained = EvaluationExplained['rules'][number];
export type Replay = AnswerOf<typeof replay>;
