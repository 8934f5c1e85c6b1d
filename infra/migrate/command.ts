import * as z from 'zod';
import { databaseClient } from '#shared/table/database.ts';
import { type DeployedFunction, settingsOf } from '../function-settings.ts';
import { localDatabase } from '../local/clients.ts';
import type { StackFile } from '../local/stack-file.ts';
import { type Migration, migrateTable, type Progress } from './migrate-table.ts';
import { MIGRATIONS } from './migrations.ts';

type OpenTable = Parameters<typeof migrateTable>[0];

/** Opens the table of a running local stack. */
export const localTable = ({ endpoints, table }: StackFile): OpenTable => ({
  client: localDatabase(endpoints.dynamodb),
  name: table,
});

/** Opens the table that the functions of a stage use. The operator's function names it. */
export async function tableOfStage(operator: DeployedFunction): Promise<OpenTable> {
  const { TABLE_NAME: name } = await settingsOf(operator, z.object({ TABLE_NAME: z.string() }));
  return { client: databaseClient({ region: operator.region }), name };
}

/**
 * Runs the command `migrate` and says in plain sentences what it does.
 * @param say gets each sentence
 */
export async function runMigrate(
  table: OpenTable,
  { dryRun, migrations = MIGRATIONS }: { dryRun: boolean; migrations?: readonly Migration[] },
  say: (sentence: string) => void,
): Promise<void> {
  const report = ({ to, pass, read, changed }: Progress) =>
    say(`Format ${to}, pass ${pass}: ${read} items read, ${changed} ${dryRun ? 'to change' : 'changed'}`);
  const finished = await migrateTable(table, migrations, { dryRun, report });
  for (const { to, read, changed } of finished) {
    say(
      dryRun
        ? `Format ${to}: ${changed} of ${read} items would change`
        : `Every item has format ${to}. Changed ${changed} items, read ${read} in all passes`,
    );
  }
  if (finished.length === 0) say('Every item has the newest format that this release knows');
}
