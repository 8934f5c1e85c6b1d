import * as z from 'zod';
import { AnyEnvironmentName } from '#shared/base/names.ts';
import { POINT_PATTERN, parseSegment } from '#shared/environments/rules/expressions.ts';
import {
  archivedEnvironment,
  invalidExpression,
  severalMarks,
  snapshotOutOfRange,
  unknownEnvironment,
} from '#shared/environments/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { integerField } from '#shared/http/query-fields.ts';
import { noPiece } from '#shared/log/rules/sentences.ts';
import { stateSnapshot } from '#shared/log/statements/state-snapshot.ts';
import type { StatementServices } from '#shared/log/statements/statements.ts';
import { FORMAT, STATEMENT, STATEMENT_ERRORS, statementAnswer } from './statement-answer.ts';

/** GET /snapshots/{org}/{env_name}/{snappish}/statement: the signed verdict on a snapshot (rules/log.md#statement-of-a-snapshot). */
export const getSnapshotStatement = endpoint({
  ...STATEMENT,
  operation: 'getSnapshotStatement',
  path: '/snapshots/{org}/{env_name}/{snappish}/statement',
  summary: 'Get a signed statement of the verdict on a snapshot',
  params: z.object({
    org: z.string(),
    env_name: AnyEnvironmentName,
    snappish: z.string().meta({ pattern: POINT_PATTERN }),
  }),
  query: z.object({
    ...FORMAT,
    piece: integerField({ min: 1 })
      .default(1)
      .meta({ description: 'A statement has at most 1000 running artifacts', override: { default: 1 } }),
  }),
  errors: [
    ...STATEMENT_ERRORS,
    unknownEnvironment,
    archivedEnvironment,
    snapshotOutOfRange,
    invalidExpression,
    severalMarks,
    noPiece,
  ],
  handler: async ({ params, query: { piece, format }, org, host }, services: StatementServices) => {
    const expression = parseSegment(params.snappish, services.clock.now());
    const snapshot = { env: params.env_name, expression, piece };
    return statementAnswer(services, await stateSnapshot(services, { host, org }, snapshot, format));
  },
});
