import * as z from 'zod';
import { unknownTrail } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { stateDiffers } from '#shared/log/rules/sentences.ts';
import { stateTrail } from '#shared/log/statements/state-trail.ts';
import type { StatementServices } from '#shared/log/statements/statements.ts';
import { FORMAT, STATEMENT, STATEMENT_ERRORS, statementAnswer } from './statement-answer.ts';

/** GET /trails/{org}/{flow}/{trail}/statement: the signed verdict on a trail (rules/log.md#statement-of-a-trail). */
export const getTrailStatement = endpoint({
  ...STATEMENT,
  operation: 'getTrailStatement',
  path: '/trails/{org}/{flow}/{trail}/statement',
  summary: 'Get a signed statement of the verdict on a trail',
  query: z.object(FORMAT),
  errors: [...STATEMENT_ERRORS, stateDiffers, unknownTrail],
  handler: async ({ params, query, org, host }, services: StatementServices) =>
    statementAnswer(services, await stateTrail(services, { host, org }, params, query.format)),
});
