import { endpointGroup } from '#shared/http/endpoint.ts';
import { beginTrail } from './begin-trail.ts';
import { getTrail } from './get-trail.ts';
import { listMoments } from './list-moments.ts';
import { listFlowTrails, listTrails } from './list-trails.ts';

export const trailsGroup = endpointGroup({
  name: 'trails',
  about: 'Single deliveries, such as a change, a build or a release. Each report to a trail is a numbered moment.',
  endpoints: [beginTrail, getTrail, listTrails, listFlowTrails, listMoments],
});
