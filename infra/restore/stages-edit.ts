import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { CDK_FILE, readStagesFile, stagesOfFile } from '../stages/stages-file.ts';

const Stages = z.record(z.string(), z.looseObject({}));

/**
 * Writes the setting `restoredTableStream` of a stage into the file that has its settings, or takes it out. All other settings
 * stay.
 *
 * @param folder the folder of `cdk.json`
 * @returns the name of the changed file; null if the file said so already
 * @throws StageError if the file is wrong, before or after
 */
export function setRestoredTableStream(folder: string, stage: string, streamArn: string | undefined): string | null {
  // Refuses a file with mistakes before it is written again.
  stagesOfFile(folder);
  const { cdk, file, given } = readStagesFile(folder);
  const stages = Stages.parse(given);
  const { restoredTableStream: before, ...others } = stages[stage] ?? {};
  if (before === streamArn) return null;
  const changed = {
    ...stages,
    [stage]: { ...others, ...(streamArn !== undefined && { restoredTableStream: streamArn }) },
  };
  write(folder, file, file === CDK_FILE ? { ...cdk, context: { ...cdk.context, stages: changed } } : changed);
  stagesOfFile(folder);
  return file;
}

/** The file is replaced in one step. */
function write(folder: string, file: string, value: object): void {
  const path = join(folder, file);
  writeFileSync(`${path}.next`, `${JSON.stringify(value, null, 2)}\n`);
  renameSync(`${path}.next`, path);
}
