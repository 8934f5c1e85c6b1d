import * as z from 'zod';
import { POINT_PATTERN, parseSegment } from '#shared/environments/rules/expressions.ts';
import {
  archivedEnvironment,
  invalidExpression,
  severalMarks,
  snapshotOutOfRange,
  unknownEnvironment,
} from '#shared/environments/rules/sentences.ts';
import { findSnapshot } from '#shared/environments/snapshots/find-snapshot.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { integerField } from '#shared/http/query-fields.ts';
import { noPiece } from '#shared/log/rules/sentences.ts';
import { readRunningSubjects, summarizeSnapshot } from '#shared/log/statements/summarize-snapshot.ts';
import { FORMAT, STATEMENT, STATEMENT_ERRORS, statementAnswer } from './statement-answer.ts';

/** GET /snapshots/{org}/{env_name}/{snappish}/statement: the signed verdict on a snapshot (rules/log.md#statement-of-a-snapshot). */
export const getSnapshotStatement = endpoint({
  ...STATEMENT,
  operation: 'getSnapshotStatement',
  path: '/snapshots/{org}/{env_name}/{snappish}/statement',
  summary: 'Get a signed statement of the verdict on a snapshot',
  params: z.object({ org: z.string(), env_name: z.string(), snappish: z.string().meta({ pattern: POINT_PATTERN }) }),
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
  handler: async ({ params, query, org, host }, services) => {
    const expression = parseSegment(params.snappish, services.clock.now());
    const found = await findSnapshot(services, org, params.env_name, expression);
    const place = { host, org };
    const { piece, format } = query;
    const running = await readRunningSubjects(services, place, found);
    const { index } = found.parts.summary;
    if (piece > running.pieces) throw noPiece({ index, env: params.env_name, piece });
    return statementAnswer(services, place, format, ['snapshot', found.head.id, index, piece], () =>
      summarizeSnapshot(services, place, running, piece),
    );
  },
});
