import { ExportWithAddress, exportOut } from '#functions/forms/export-output.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { GET_EXPORT, getExport as get } from '#shared/exports/read-exports.ts';
import { exportErased, exportNotFound } from '#shared/exports/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';

/** GET /exports/{org}/{export_id}: state and progress of an export, and the address of its archive (rules/exports.md#download). */
export const getExport = endpoint({
  operation: 'getExport',
  method: 'GET',
  path: '/exports/{org}/{export_id}',
  summary: 'Get an export, with the address of its archive when it is done',
  access: 'admin',
  success: { 200: ExportWithAddress },
  errors: [exportNotFound, exportErased],
  uses: GET_EXPORT,
  handler: async ({ params, org }, stores: Stores) => {
    const { record, address } = await get(stores, org, params.export_id);
    return { status: 200, body: { ...exportOut(record), download_url: address } };
  },
});
