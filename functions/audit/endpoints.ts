import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { listEntries } from './list-entries.ts';

export const auditGroup: EndpointGroup = { name: 'audit', endpoints: [listEntries] };
