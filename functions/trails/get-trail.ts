import * as z from 'zod';
import { reasonFields, reasonsField, reasonsOut } from '#functions/forms/reasons.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { reasonReading } from '#shared/evaluations/explain-decisions.ts';
import { unknownMoment, unknownTrail } from '#shared/evidence/rules/sentences.ts';
import { TrailOut, trailOut } from '#shared/evidence/trail-output.ts';
import { getTrail as get } from '#shared/evidence/trails/get-trail.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { integerField } from '#shared/http/query-fields.ts';
import { explainTrail } from '#shared/reasons/explain-trail.ts';

const TrailWithReasons = TrailOut.extend(reasonFields).meta({ id: 'TrailWithReasons' });

/** GET /trails/{org}/{flow}/{trail}: a trail with its verdict and its events (rules/trails.md#get-a-trail). */
export const getTrail = endpoint({
  operation: 'getTrail',
  method: 'GET',
  path: '/trails/{org}/{flow}/{trail}',
  summary: 'Get a trail with its compliance status and events',
  access: 'reader',
  query: z.object({
    moment: integerField({ min: 1 })
      .optional()
      .meta({ description: 'Number of a moment: the trail as it was after it' }),
    ...reasonsField,
  }),
  success: { 200: TrailWithReasons },
  errors: [unknownTrail, unknownMoment],
  uses: READ_BODIES,
  handler: async ({ params, query, org, host }, stores: Pick<Stores, 'table' | 'objects'>) => {
    const { trail, template, text, runtime } = await get(stores, org, params, query.moment);
    const place = { host, org: org.name, orgId: org.id };
    const chain = query.reasons && (await explainTrail(reasonReading(stores), { host, org }, trail, template));
    return { status: 200, body: { ...trailOut(trail, template, text, place, runtime), ...reasonsOut(chain) } };
  },
});
