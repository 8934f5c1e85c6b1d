import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { caseDiffers } from '#shared/log/rules/sentences.ts';
import { stateCase } from '#shared/log/statements/state-case.ts';
import type { StatementServices } from '#shared/log/statements/statements.ts';
import { unknownWatch } from '#shared/watches/rules/sentences.ts';
import { FORMAT, STATEMENT, STATEMENT_ERRORS, statementAnswer } from './statement-answer.ts';

/** GET /watches/{org}/{name}/case/statement: the case of a watch, signed (rules/log.md#statement-of-a-case). */
export const getCaseStatement = endpoint({
  ...STATEMENT,
  operation: 'getCaseStatement',
  path: '/watches/{org}/{name}/case/statement',
  summary: 'Get a signed statement about the case of a watch',
  query: z.object(FORMAT),
  errors: [...STATEMENT_ERRORS, unknownWatch, caseDiffers],
  handler: async ({ params, query, org, host }, services: StatementServices) =>
    statementAnswer(services, await stateCase(services, { host, org }, params.name, query.format)),
});
