import { endpointGroup } from '#shared/http/endpoint.ts';
import { tagControl, tagControls } from './tag-control.ts';
import { tagResource } from './tag-resource.ts';

export const tagsGroup = endpointGroup({
  name: 'tags',
  about: 'Tags of flows, environments, repositories and controls.',
  endpoints: [tagResource, tagControl, tagControls],
});
