import { endpointGroup } from '#shared/http/endpoint.ts';
import { listEntries } from './list-entries.ts';

export const auditGroup = endpointGroup({
  name: 'audit',
  about: 'The audit log: who changed what, when and with which key.',
  endpoints: [listEntries],
});
