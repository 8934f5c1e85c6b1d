import { systemClock } from '#shared/base/time.ts';
import { reapplyEnds } from '#shared/restore/reapply-ends.ts';
import { parseInstant } from './instant.ts';
import { type RestoreReport, restore } from './restore.ts';
import { RestoreError } from './restore-error.ts';
import type { RestoreStage, Say } from './stage.ts';

/**
 * Runs the command `restore` (docs/deploying.md#restore) and says what it does, with a report at the end.
 *
 * @param stage where it runs. A stage of AWS is loaded only for stages of AWS, because its clients take time to load
 * @throws RestoreError for a wrong instant, and if the restore cannot go on
 */
export async function runRestore(to: string | undefined, stage: () => Promise<RestoreStage>, say: Say): Promise<void> {
  if (to === undefined) throw new RestoreError('Give the instant to restore to: --to 2026-03-01T12:00:00Z');
  const instant = parseInstant(to);
  const report = await restore({ stage: await stage(), to: instant, reapplyEnds, clock: systemClock(), say });
  for (const line of reportLines(report)) say(line);
}

function reportLines({ objects, lost, ends }: RestoreReport): string[] {
  const section = (title: string, lines: readonly string[]) => [
    `${title}: ${lines.length === 0 ? 'none' : lines.length}`,
    ...lines.map((line) => `  ${line}`),
  ];
  return [
    ...section('Objects of the bucket that are there again', objects),
    ...section('Lost, because accepted after the instant', lost),
    ...section('Ended after the instant', ends),
  ];
}
