import * as z from 'zod';
import { ServiceError } from '#shared/base/errors.ts';
import { getExport } from '#shared/exports/read-exports.ts';
import { archiveName, isPinned, waitsUntil } from '#shared/exports/rules/life-of-an-export.ts';
import { WAITS_FOR } from '#shared/exports/rules/sentences.ts';
import { startExportAsOperator } from '#shared/exports/start-export.ts';
import { command, done, refused } from './command.ts';

/**
 * Starts an export of an organization, or shows how far an export is (rules/exports.md#start). A finished export comes
 * with the address of its archive.
 */
export const exportOrganization = command({
  name: 'export',
  schema: z.strictObject({
    organization: z.string(),
    /** Id of an export to show. Without it, an export is started. */
    id: z.string().optional(),
  }),
  run: async ({ organization, id }, { directory, table, objects, clock }) => {
    const org = await directory.organization(organization);
    if (!org) return refused(`There is no organization '${organization}'`);
    if (id === undefined) {
      const { record, started } = await startExportAsOperator({ table }, org, clock.now());
      const message = started
        ? `Started an export of '${organization}'`
        : `An export of '${organization}' runs already`;
      return done(message, { id: record.id });
    }
    const outcome = await getExport({ table, objects, clock }, org, id).catch(refusalOf);
    if (outcome === 'not-found') return refused(`There is no export '${id}' of '${organization}'`);
    if ('gone' in outcome) return refused(outcome.gone);
    const { record, address } = outcome;
    const { state, progress, sha256, problem } = record;
    if (problem !== null) return done(`The export has failed. ${problem}`, { state });
    if (!isPinned(record)) {
      const until = new Date(waitsUntil(record) / 1000).toISOString();
      return done('The export waits for its checkpoint', { waits_for: WAITS_FOR, until });
    }
    const { origin, size, root, witnesses, coversStart } = record.log;
    const filename = `${archiveName(record)}.tar`;
    return done(`The export is ${state}`, {
      filename,
      log: { origin, size, root, witnesses, covers_start: coversStart },
      steps: progress.steps,
      files: progress.files,
      bytes: progress.bytes,
      ...(state === 'done' && { sha256, download_url: address }),
    });
  },
});

/** Returns why there is nothing to show. @throws every other error */
function refusalOf(error: unknown): 'not-found' | { gone: string } {
  if (error instanceof ServiceError && error.kind === 'not-found') return 'not-found';
  if (error instanceof ServiceError && error.kind === 'gone') return { gone: error.message };
  throw error;
}
