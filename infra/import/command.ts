import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { systemClock } from '#shared/base/time.ts';
import { Objects } from '#shared/bodies/objects.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { ImportRefused, importOrganization } from '#shared/exports/import/import-organization.ts';
import { LogNotRecovered } from '#shared/log/recover.ts';
import { databaseClient } from '#shared/table/database.ts';
import { Table } from '#shared/table/table.ts';
import { type DeployedFunction, settingsOf } from '../function-settings.ts';
import { localDatabase, localObjects } from '../local/clients.ts';
import type { StackFile } from '../local/stack-file.ts';
import { openSource, unpackExport } from './read-export.ts';

/** `npm run operator -- import`: builds an organization from an export (rules/exports.md#import). */

/** The export, and what the verifier needs to trust it. */
export interface ImportOptions {
  /** The tar file, or the folder that it was unpacked to. */
  path: string;
  logKey: string;
  /** Files. */
  policy?: string | undefined;
  statementKey?: string | undefined;
}

/** Opens table and bucket of a running local stack. */
export const localStores = ({ endpoints, table }: StackFile): Stores => ({
  table: new Table(localDatabase(endpoints.dynamodb), table),
  objects: localObjects(endpoints.s3),
  clock: systemClock(),
});

/** Opens table and bucket that the functions of a stage use. The operator's function names them. */
export async function storesOfStage(operator: DeployedFunction): Promise<Stores> {
  const { region } = operator;
  const { TABLE_NAME: table, BUCKET_NAME: bucket } = await settingsOf(
    operator,
    z.object({ TABLE_NAME: z.string(), BUCKET_NAME: z.string() }),
  );
  const { S3Client } = await import('@aws-sdk/client-s3');
  return {
    table: new Table(databaseClient({ region }), table),
    objects: new Objects(new S3Client({ region }), bucket),
    clock: systemClock(),
  };
}

/**
 * Runs the command `import` and says in plain sentences what it does.
 *
 * @param open opens table and bucket, after the export was verified
 * @param say gets each sentence
 * @returns whether the organization is there
 */
export async function runImport(
  options: ImportOptions,
  open: () => Promise<Stores>,
  say: (sentence: string) => void,
): Promise<boolean> {
  const unpacked = await mkdtemp(join(tmpdir(), 'import-'));
  try {
    const folder = await folderOf(options.path, unpacked);
    // The folder that is imported is the one that was verified.
    const verdict = await verify(folder, options);
    if (!verdict.isRight) {
      say(`The export is not imported, because the verifier refuses it. ${verdict.words}`);
      return false;
    }
    say(`The verifier says: ${verdict.words}`);
    const source = await openSource(folder);
    const { name, id, counts, missing } = await importOrganization(await open(), source, (family) =>
      say(`Importing ${family}`),
    );
    const items = [...counts.values()].reduce((sum, count) => sum + count, 0);
    say(
      `The organization '${name}' (${id}) is there, with ${items} items and ${source.checkpoint.size} entries of its log`,
    );
    say('To be made again, because no export carries it:');
    for (const sentence of missing) say(`  ${sentence}`);
    return true;
  } catch (error) {
    if (!(error instanceof ImportRefused || error instanceof LogNotRecovered || error instanceof NotAnExport))
      throw error;
    say(error.message);
    return false;
  } finally {
    await rm(unpacked, { recursive: true, force: true });
  }
}

class NotAnExport extends Error {}

async function folderOf(path: string, unpacked: string): Promise<string> {
  try {
    return (await stat(path)).isDirectory() ? path : await unpackExport(path, unpacked);
  } catch (cause) {
    throw new NotAnExport(`${path} is not an export: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

const VERIFIER = join(import.meta.dirname, '..', '..', 'verify', 'main.ts');
/** Exit codes of the verifier for an export in which everything that is proved is right. */
const RIGHT = [0, 3];

/** Runs the verifier as a program: nothing of the service imports it. */
async function verify(
  folder: string,
  { logKey, policy, statementKey }: ImportOptions,
): Promise<{ isRight: boolean; words: string }> {
  const more = [...(policy ? ['--policy', policy] : []), ...(statementKey ? ['--statement-key', statementKey] : [])];
  const args = [VERIFIER, folder, '--log-key', logKey, ...more];
  const run = promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 });
  const { code = 0, stdout, stderr } = await run.catch((error: Ended) => error).then((ended): Ended => ended);
  const isRight = RIGHT.includes(code);
  const printed = (isRight ? stdout : stderr).trim().split('\n');
  return { isRight, words: (isRight ? printed.at(-1) : printed[0]) ?? '' };
}

interface Ended {
  code?: number;
  stdout: string;
  stderr: string;
}
