import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { LOCAL } from './settings.ts';

/** File of the data directory with the name of the table that the stack uses. A restore writes it (deploying.md#restore). */
const FILE = 'table.json';

const LiveTable = z.strictObject({ name: z.string().regex(/^[\w.-]{3,255}$/) });

/** Returns the name of the table that a stack with this data directory uses. @throws ZodError if the file is damaged */
export function readLiveTable(dataDir: string | undefined): string {
  if (dataDir === undefined || !existsSync(join(dataDir, FILE))) return LOCAL.tableName;
  return LiveTable.parse(JSON.parse(readFileSync(join(dataDir, FILE), 'utf8'))).name;
}

/** Makes the next start of the stack use another table. The file is replaced in one step. */
export function writeLiveTable(dataDir: string, name: string): void {
  const file = join(dataDir, FILE);
  writeFileSync(`${file}.next`, `${JSON.stringify(LiveTable.parse({ name }))}\n`);
  renameSync(`${file}.next`, file);
}
