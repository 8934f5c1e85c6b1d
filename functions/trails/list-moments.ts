import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { readMoments } from '#shared/evidence/records/moments.ts';
import { readBesideFlow, readTrailHead } from '#shared/evidence/records/trails.ts';
import { momentsNotFound } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flatPage, flatPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { pageFields } from '#shared/http/query-fields.ts';

const Moment = z.object({ moment_number: z.int(), created_at: z.number() }).meta({ id: 'TrailMoment' });

/** GET /trails/{org}/{flow_name}/{trail_name}/moments: moments by ascending number (rules/trails.md#list-moments). */
export const listMoments = endpoint({
  operation: 'listTrailMoments',
  method: 'GET',
  path: '/trails/{org}/{flow_name}/{trail_name}/moments',
  summary: 'List the numbered moments of a trail',
  description: 'Beta.',
  access: 'reader',
  feature: 'evaluations',
  row: 11,
  params: z.object({ org: z.string(), flow_name: z.string(), trail_name: z.string() }),
  query: z.object(pageFields({ perPage: 20 })),
  body: { kind: 'none' },
  success: { 200: flatPageSchema('moments', Moment).meta({ id: 'TrailMomentsPage' }) },
  errors: [momentsNotFound],
  handler: async (request, { table }) => {
    const { params, query, org } = request;
    const { flow, beside: head } = await readBesideFlow(table, org.id, params.flow_name, (id) =>
      readTrailHead(table, org.id, id, params.trail_name),
    );
    if (!flow || !head) throw momentsNotFound();
    const { page, per_page: perPage } = query;
    const from = (page - 1) * perPage + 1;
    const moments = await readMoments(table, org.id, flow.id, params.trail_name, {
      from,
      to: Math.min(head.number, from + perPage - 1),
    });
    const items = moments.map(({ number, at }) => ({ moment_number: number, created_at: toSeconds(at) }));
    const shown = { page, perPage, total: head.number, items };
    return pageAnswer(request, shown, flatPage('moments', request, shown));
  },
});
