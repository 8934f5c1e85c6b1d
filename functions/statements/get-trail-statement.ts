import * as z from 'zod';
import { readBesideFlow, readTrailState } from '#shared/evidence/records/trails.ts';
import { unknownTrail } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { stateDiffers } from '#shared/http/sentences.ts';
import { summarizeTrail } from '#shared/log/statements/summarize-trail.ts';
import { FORMAT, STATEMENT, STATEMENT_ERRORS, statementAnswer } from './statement-answer.ts';

/** GET /trails/{org}/{flow}/{trail}/statement: the signed verdict on a trail (rules/log.md#statement-of-a-trail). */
export const getTrailStatement = endpoint({
  ...STATEMENT,
  operation: 'getTrailStatement',
  path: '/trails/{org}/{flow}/{trail}/statement',
  summary: 'Get a signed statement of the verdict on a trail',
  params: z.object({ org: z.string(), flow: z.string(), trail: z.string() }),
  query: z.object(FORMAT),
  errors: [...STATEMENT_ERRORS, stateDiffers, unknownTrail],
  handler: async ({ params, query, org, host }, services) => {
    const { table } = services;
    const { flow, beside: trail } = await readBesideFlow(table, org.id, params.flow, (id) =>
      readTrailState(table, org.id, id, params.trail),
    );
    if (!flow || !trail) throw unknownTrail({ trail: params.trail, org: org.name, flow: params.flow });
    const place = { host, org };
    const about = ['trail', flow.id, trail.head.id, trail.state.number];
    return statementAnswer(services, place, query.format, about, () =>
      summarizeTrail(services, place, { flow, ...trail }),
    );
  },
});
