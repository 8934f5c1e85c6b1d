import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { beginTrail } from './begin-trail.ts';
import { getTrail } from './get-trail.ts';
import { listFlowTrails } from './list-flow-trails.ts';
import { listMoments } from './list-moments.ts';
import { listTrails } from './list-trails.ts';

export const trailsGroup: EndpointGroup = {
  name: 'trails',
  about: 'One delivery each: a change, a build, a release. Everything that happened to it is a numbered moment.',
  endpoints: [beginTrail, getTrail, listTrails, listFlowTrails, listMoments],
};
