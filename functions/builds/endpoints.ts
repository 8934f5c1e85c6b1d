import { endpointGroup } from '#shared/http/endpoint.ts';
import { listBuilds } from './list-builds.ts';

export const buildsGroup = endpointGroup({
  name: 'builds',
  about: 'First reports of artifacts, by time and repository.',
  endpoints: [listBuilds],
});
