import * as z from 'zod';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { readRuntimeEvents } from '#shared/evidence/records/runtime-events.ts';
import { loadTemplateAndText } from '#shared/evidence/records/templates.ts';
import { readTrail } from '#shared/evidence/records/trail-records.ts';
import { unknownTrail } from '#shared/evidence/rules/sentences.ts';
import { TrailOut, trailOut } from '#shared/evidence/trail-output.ts';
import { endpoint } from '#shared/http/endpoint.ts';

/** GET /trails/{org}/{flow}/{trail}: a trail with its verdict and its events (rules/trails.md#get-a-trail). */
export const getTrail = endpoint({
  operation: 'getTrail',
  method: 'GET',
  path: '/trails/{org}/{flow}/{trail}',
  summary: 'Get a trail with its compliance status and events',
  access: 'reader',
  params: z.object({ org: z.string(), flow: z.string(), trail: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: TrailOut },
  errors: [unknownTrail],
  uses: READ_BODIES,
  handler: async ({ params, org, host }, { table, objects, clock }) => {
    const { trail, beside: runtime = [] } = await readTrail(table, objects, org.id, params, (flow) =>
      readRuntimeEvents(table, org.id, { flow, trail: params.trail }, clock.now()),
    );
    if (!trail) throw unknownTrail({ trail: params.trail, org: org.name, flow: params.flow });
    const { template, text } = await loadTemplateAndText(table, objects, org.id, trail.state.template);
    const place = { host, org: org.name, orgId: org.id };
    return { status: 200, body: trailOut(trail, template, text, place, runtime) };
  },
});
