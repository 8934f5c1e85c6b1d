import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { StoredMicros } from '#shared/base/time.ts';
import { restoreKey, restoreNoteKey } from '#shared/table/keys.ts';
import { putIfAbsent, readRecord, type Table } from '#shared/table/table.ts';

/** The steps that a restore has done last, in their order. Everything before the first is repeated as a whole. */
const STEPS = ['restored', 'objects', 'logs', 'ends', 'handed-over', 'opened', 'done'] as const;
export type Step = (typeof STEPS)[number];

const Progress = z.object({
  /** Name of the table that was live before. */
  source: z.string(),
  to: StoredMicros,
  step: z.enum(STEPS),
});
export type Progress = z.infer<typeof Progress>;

/** Reads how far a restore into a table has come. Items of earlier restores came with the others, and name other tables. */
export const readProgress = (table: Table): Promise<Progress | undefined> =>
  readRecord(table, restoreKey(table.name), Progress);

export const storeProgress = (table: Table, progress: Progress): Promise<void> =>
  table.put({ ...restoreKey(table.name), v: 1, ...progress });

export const isDone = (progress: Progress, step: Step): boolean => STEPS.indexOf(progress.step) >= STEPS.indexOf(step);

const Size = z.object({ size: z.int() });

/** Notes how many entries a log had when it was restored. The first note stays, because the log grows from then on. */
export async function noteSize(table: Table, org: OrganizationId, size: number): Promise<number> {
  const key = restoreNoteKey(table.name, 'log', org);
  const noted = await table.write(putIfAbsent({ ...key, v: 1, size }, (old) => ({ noted: Size.parse(old).size })));
  return noted === 'done' ? size : noted.noted;
}

const Lines = z.object({ lines: z.array(z.string()) });
/** An item has at most 400 KB. */
const LINES = 500;

/** Stores what a step did, so that the report is whole after an interruption. Replaces what was stored of this step. */
export async function storeLines(table: Table, step: Step, lines: readonly string[]): Promise<void> {
  const pages = Math.ceil(lines.length / LINES);
  const items = Array.from({ length: pages }, (_, page) => ({
    ...restoreNoteKey(table.name, step, String(page).padStart(6, '0')),
    v: 1,
    lines: lines.slice(page * LINES, (page + 1) * LINES),
  }));
  await table.putMany(items);
}

/** Stores one line of a step under a name, so that a repetition does not double it. */
export const storeLine = (table: Table, step: Step, name: string, line: string): Promise<void> =>
  table.put({ ...restoreNoteKey(table.name, step, name), v: 1, lines: [line] });

export async function readLines(table: Table, step: Step): Promise<string[]> {
  const { pk, sk } = restoreNoteKey(table.name, step, '');
  return (await table.query({ pk, prefix: sk })).flatMap((item) => Lines.parse(item).lines);
}
