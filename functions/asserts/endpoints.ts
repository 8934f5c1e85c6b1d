import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { assertArtifact } from './assert-artifact.ts';

export const assertsGroup: EndpointGroup = {
  name: 'asserts',
  about: 'Whether an artifact may go on: the question that gates ask.',
  endpoints: [assertArtifact],
};
