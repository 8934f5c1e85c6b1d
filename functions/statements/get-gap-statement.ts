import * as z from 'zod';
import { unknownGap } from '#shared/expectations/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { gapDiffers } from '#shared/log/rules/sentences.ts';
import { stateGap } from '#shared/log/statements/state-gap.ts';
import type { StatementServices } from '#shared/log/statements/statements.ts';
import { FORMAT, STATEMENT, STATEMENT_ERRORS, statementAnswer } from './statement-answer.ts';

/** GET /gaps/{org}/{gap_id}/statement: what is known of a gap, signed (rules/log.md#statement-of-a-gap). */
export const getGapStatement = endpoint({
  ...STATEMENT,
  operation: 'getGapStatement',
  path: '/gaps/{org}/{gap_id}/statement',
  summary: 'Get a signed statement about a gap',
  query: z.object(FORMAT),
  errors: [...STATEMENT_ERRORS, unknownGap, gapDiffers],
  handler: async ({ params, query, org, host }, services: StatementServices) =>
    statementAnswer(services, await stateGap(services, { host, org }, params.gap_id, query.format)),
});
