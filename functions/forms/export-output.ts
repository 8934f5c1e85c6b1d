import * as z from 'zod';
import { secondsOrNull, toSeconds } from '#shared/base/time.ts';
import { ErasureOut, erasedOut } from '#shared/bodies/erasure.ts';
import type { ExportRecord } from '#shared/exports/read-exports.ts';
import { archiveName, expiryOf, isPinned, waitsUntil } from '#shared/exports/rules/life-of-an-export.ts';
import { WAITS_FOR } from '#shared/exports/rules/sentences.ts';

/** An export in answers (rules/exports.md#record-of-an-export). */
export const ExportOut = z
  .object({
    id: z.string().describe('The id'),
    state: z.enum(['running', 'done', 'failed', 'erased']).meta({
      description: '`erased`: a text was erased after the start, so an erasure removed the archive',
    }),
    started_at: z.number().meta({ description: 'When the export was started, in seconds since the epoch' }),
    started_by: z.string().meta({ description: 'Name of the user or service account; `operator` for an operator' }),
    finished_at: z
      .number()
      .nullable()
      .meta({ description: 'When the export ended, in seconds since the epoch; null while it runs' }),
    expires_at: z.number().meta({ description: 'When the export is removed, in seconds since the epoch' }),
    log: z
      .object({
        origin: z.string().meta({ description: 'Name of the log' }),
        size: z.number().meta({ description: 'Entries of the log that the export proves' }),
        root: z.string().meta({ description: 'Root of the tree of this size, in hex' }),
        witnesses: z
          .array(z.string())
          .meta({ description: 'Names of the witnesses of the policy that cosigned the checkpoint' }),
        covers_start: z.boolean().meta({
          description:
            'Whether the checkpoint covers the audit entry of the start of the export. False if none did that met the policy within five minutes; the checkpoint is then older',
        }),
      })
      .nullable()
      .meta({ description: 'The checkpoint that the export is pinned to; null while the export waits for it' }),
    waits_for: z
      .object({
        what: z.string().meta({ description: 'What a running export waits for' }),
        until: z.number().meta({
          description:
            'When it stops waiting, in seconds since the epoch, and takes the newest checkpoint that meets the policy',
        }),
      })
      .nullable()
      .meta({ description: 'Present while a running export has no checkpoint; null otherwise' }),
    progress: z
      .object({
        steps: z.number().meta({ description: 'Steps that are finished' }),
        files: z.number().meta({ description: 'Files below `data/` in the archive so far' }),
        bytes: z.number().meta({ description: 'Bytes of the archive so far' }),
      })
      .meta({ description: 'How much of the archive is made' }),
    filename: z
      .string()
      .nullable()
      .meta({ description: 'Name of the archive; null while the export has no checkpoint' }),
    sha256: z.string().nullable().meta({ description: 'SHA-256 of the archive in hex; null until the export is done' }),
    problem: z.string().nullable().meta({ description: 'Why the export failed; null in the other states' }),
    erased: ErasureOut,
  })
  .meta({ id: 'Export' });

export const ExportWithAddress = ExportOut.extend({
  download_url: z.string().nullable().meta({
    description:
      'Address of the archive, valid for an hour; null until the export is done. It serves ranges, so a download can be resumed',
  }),
}).meta({ id: 'ExportWithAddress' });

export function exportOut(record: ExportRecord): z.input<typeof ExportOut> {
  const { id, state, started, by, finished, log, progress, sha256, problem, erased } = record;
  return {
    id,
    state,
    started_at: toSeconds(started),
    started_by: by.name,
    finished_at: secondsOrNull(finished),
    expires_at: toSeconds(expiryOf(record)),
    log: log && {
      origin: log.origin,
      size: log.size,
      root: log.root,
      witnesses: log.witnesses,
      covers_start: log.coversStart,
    },
    waits_for: state === 'running' && !log ? { what: WAITS_FOR, until: toSeconds(waitsUntil(record)) } : null,
    progress: { steps: progress.steps, files: progress.files, bytes: progress.bytes },
    filename: filenameOf(record),
    sha256,
    problem,
    ...erasedOut(erased),
  };
}

const filenameOf = (record: ExportRecord): string | null => (isPinned(record) ? `${archiveName(record)}.tar` : null);
