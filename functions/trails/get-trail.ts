import * as z from 'zod';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { readRuntimeEvents } from '#shared/evidence/records/runtime-events.ts';
import { loadTemplateAndText } from '#shared/evidence/records/templates.ts';
import { asOfMoment, readTrail } from '#shared/evidence/records/trail-records.ts';
import { unknownMoment, unknownTrail } from '#shared/evidence/rules/sentences.ts';
import { TrailOut, trailOut } from '#shared/evidence/trail-output.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { integerField } from '#shared/http/query-fields.ts';

/** GET /trails/{org}/{flow}/{trail}: a trail with its verdict and its events (rules/trails.md#get-a-trail). */
export const getTrail = endpoint({
  operation: 'getTrail',
  method: 'GET',
  path: '/trails/{org}/{flow}/{trail}',
  summary: 'Get a trail with its compliance status and events',
  access: 'reader',
  params: z.object({ org: z.string(), flow: z.string(), trail: z.string() }),
  query: z.object({
    moment: integerField({ min: 1 })
      .optional()
      .meta({ description: 'Number of a moment: the trail as it was after it' }),
  }),
  body: { kind: 'none' },
  success: { 200: TrailOut },
  errors: [unknownTrail, unknownMoment],
  uses: READ_BODIES,
  handler: async ({ params, query: { moment: number }, org, host }, { table, objects }) => {
    const { trail: present, beside: runtime = [] } = await readTrail(table, objects, org.id, params, async (flow) =>
      // Runtime events are no part of a past state.
      number === undefined ? readRuntimeEvents(table, org.id, { flow, trail: params.trail }) : [],
    );
    const names = { trail: params.trail, org: org.name, flow: params.flow };
    if (!present) throw unknownTrail(names);
    if (number !== undefined && number > present.head.number) throw unknownMoment({ ...names, number });
    const trail = number === undefined ? present : asOfMoment(present, number);
    const { template, text } = await loadTemplateAndText(table, objects, org.id, trail.state.template);
    const place = { host, org: org.name, orgId: org.id };
    return { status: 200, body: trailOut(trail, template, text, place, runtime) };
  },
});
