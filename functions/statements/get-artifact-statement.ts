import * as z from 'zod';
import { AnyTrailName } from '#shared/base/names.ts';
import { artifactNotInFlow, unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { stateDiffers } from '#shared/log/rules/sentences.ts';
import { stateArtifact } from '#shared/log/statements/state-trail.ts';
import type { StatementServices } from '#shared/log/statements/statements.ts';
import { FORMAT, STATEMENT, STATEMENT_ERRORS, statementAnswer } from './statement-answer.ts';

/**
 * GET /artifacts/{org}/{flow}/fingerprint/{fingerprint}/statement: the signed verdict on an artifact in a trail
 * (rules/log.md#statement-of-an-artifact).
 */
export const getArtifactStatement = endpoint({
  ...STATEMENT,
  operation: 'getArtifactStatement',
  path: '/artifacts/{org}/{flow}/fingerprint/{fingerprint}/statement',
  summary: 'Get a signed statement of the verdict on an artifact',
  query: z.object({
    ...FORMAT,
    trail: AnyTrailName.optional().meta({ description: 'The trail; by default that of the latest report' }),
  }),
  errors: [...STATEMENT_ERRORS, stateDiffers, unknownFlow, artifactNotInFlow],
  handler: async ({ params, query: { trail, format }, org, host }, services: StatementServices) =>
    statementAnswer(services, await stateArtifact(services, { host, org }, { ...params, trail }, format)),
});
