import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { listEntries } from './list-entries.ts';

export const auditGroup: EndpointGroup = {
  name: 'audit',
  about: 'Who changed what: an entry for each change, written with it.',
  endpoints: [listEntries],
};
