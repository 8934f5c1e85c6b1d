import { endpointGroup } from '#shared/http/endpoint.ts';
import { assertArtifact } from './assert-artifact.ts';
import { assertInEnvironments } from './assert-in-environments.ts';

export const assertsGroup = endpointGroup({
  name: 'asserts',
  about: 'Whether an artifact is compliant. Gates of deliveries ask this.',
  endpoints: [assertArtifact, assertInEnvironments],
});
