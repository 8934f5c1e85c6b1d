import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { DEFAULT_STAGES } from '../stages/stages.ts';
import { stagesOfFile } from '../stages/stages-file.ts';

const CDK_FILE = 'cdk.json';
const Stages = z.record(z.string(), z.looseObject({}));
const CdkSettings = z.looseObject({
  context: z.looseObject({ stages: z.union([z.string(), Stages]).optional() }).optional(),
});

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
  const cdk = CdkSettings.parse(read(folder, CDK_FILE));
  const key = cdk.context?.stages;
  const isApart = typeof key === 'string';
  const stages = Stages.parse(isApart ? read(folder, key) : (key ?? DEFAULT_STAGES));
  const { restoredTableStream: before, ...others } = stages[stage] ?? {};
  if (before === streamArn) return null;
  const changed = {
    ...stages,
    [stage]: { ...others, ...(streamArn !== undefined && { restoredTableStream: streamArn }) },
  };
  const file = isApart ? key : CDK_FILE;
  write(folder, file, isApart ? changed : { ...cdk, context: { ...cdk.context, stages: changed } });
  stagesOfFile(folder);
  return file;
}

const read = (folder: string, file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));

/** The file is replaced in one step. */
function write(folder: string, file: string, value: object): void {
  const path = join(folder, file);
  writeFileSync(`${path}.next`, `${JSON.stringify(value, null, 2)}\n`);
  renameSync(`${path}.next`, path);
}
