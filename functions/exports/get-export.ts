import * as z from 'zod';
import { erasureWords } from '#shared/bodies/erasure.ts';
import { isKept, readExport } from '#shared/exports/records/exports.ts';
import { exportErased, exportNotFound } from '#shared/exports/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ExportWithAddress, exportWithAddress } from './export-output.ts';

/** GET /exports/{org}/{export_id}: state and progress of an export, and the address of its archive (rules/exports.md#download). */
export const getExport = endpoint({
  operation: 'getExport',
  method: 'GET',
  path: '/exports/{org}/{export_id}',
  summary: 'Get an export, with the address of its archive when it is done',
  access: 'admin',
  params: z.object({ org: z.string(), export_id: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: ExportWithAddress },
  errors: [exportNotFound, exportErased],
  // The address has the rights of the function that signs it.
  uses: { bucket: ['exports:read'] },
  handler: async ({ params, org }, { table, objects, clock }) => {
    const record = await readExport(table, org.id, params.export_id);
    if (!record || !isKept(record, clock.now())) throw exportNotFound();
    if (record.erased) throw exportErased(erasureWords(record.erased));
    return { status: 200, body: await exportWithAddress(objects, org.id, record) };
  },
});
