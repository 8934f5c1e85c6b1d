import * as z from 'zod';
import { ExportOut, exportOut } from '#functions/forms/export-output.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { listExports as list } from '#shared/exports/read-exports.ts';
import { endpoint } from '#shared/http/endpoint.ts';

/** GET /exports/{org}: the newest exports of the last seven days, newest first (rules/exports.md#kept). */
export const listExports = endpoint({
  operation: 'listExports',
  method: 'GET',
  path: '/exports/{org}',
  summary: 'List the exports of the last seven days, newest first',
  description: 'At most the newest 100. An export is removed seven days after its start.',
  access: 'admin',
  success: {
    200: z
      .object({ exports: z.array(ExportOut).meta({ description: 'The exports, newest first' }) })
      .meta({ id: 'Exports' }),
  },
  handler: async ({ org }, stores: Pick<Stores, 'table' | 'clock'>) => {
    const exports = await list(stores, org);
    return { status: 200, body: { exports: exports.map(exportOut) } };
  },
});
