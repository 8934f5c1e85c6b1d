import { ExportOut, exportOut } from '#functions/forms/export-output.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { type ExportRecord, START_EXPORT, startExport as start } from '#shared/exports/start-export.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';

/** POST /exports/{org}: starts an export of the whole organization, or answers the one that runs (rules/exports.md#start). */
export const startExport = endpoint({
  operation: 'startExport',
  method: 'POST',
  path: '/exports/{org}',
  summary: 'Export everything of an organization as one archive that proves itself',
  description:
    'The answer is a running export. Get it by its id until `state` is no longer `running`. The archive is a BagIt bag as tar, pinned to a checkpoint of the log that covers this start and that the witnesses of the region cosigned; `waits_for` says so until there is one. If an export of the organization runs already, no other is started and the answer is that export.',
  access: 'admin',
  success: { 202: ExportOut },
  makes: { at: '/exports/{org}/{export_id}', id: 'export_id' },
  uses: START_EXPORT,
  handler: (request, stores: Pick<Stores, 'table'>) =>
    answerWrite(
      request,
      (by) => start(stores, by),
      (record: ExportRecord) => ({ status: 202, body: exportOut(record), made: { export_id: record.id } }),
    ),
});
