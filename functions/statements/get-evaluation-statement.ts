import * as z from 'zod';
import { evaluationNotFound } from '#shared/evaluations/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { nothingToState } from '#shared/log/rules/sentences.ts';
import { stateEvaluation } from '#shared/log/statements/state-evaluation.ts';
import type { StatementServices } from '#shared/log/statements/statements.ts';
import { FORMAT, STATEMENT, STATEMENT_ERRORS, statementAnswer } from './statement-answer.ts';

/** GET /evaluations/{org}/{evaluation_id}/statement: the signed result of an evaluation (rules/log.md#statement-of-an-evaluation). */
export const getEvaluationStatement = endpoint({
  ...STATEMENT,
  operation: 'getEvaluationStatement',
  path: '/evaluations/{org}/{evaluation_id}/statement',
  summary: 'Get a signed statement of the result of an evaluation',
  feature: 'evaluations',
  query: z.object(FORMAT),
  errors: [...STATEMENT_ERRORS, evaluationNotFound, nothingToState],
  handler: async ({ params, query, org, host }, services: StatementServices) =>
    statementAnswer(services, await stateEvaluation(services, { host, org }, params.evaluation_id, query.format)),
});
