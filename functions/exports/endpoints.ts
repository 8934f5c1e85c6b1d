import { endpointGroup } from '#shared/http/endpoint.ts';
import { getExport } from './get-export.ts';
import { listExports } from './list-exports.ts';
import { startExport } from './start-export.ts';

export const exportsGroup = endpointGroup({
  name: 'exports',
  about: 'Archives of everything that an organization has, with its log.',
  endpoints: [startExport, listExports, getExport],
});
