import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { localDatabase } from '#infra/local/clients.ts';
import { freePort } from '#infra/local/ports.ts';
import { LOCAL } from '#infra/local/settings.ts';
import { startDynamoDb } from '#infra/local/storage/dynamodb.ts';
import { Table } from '#shared/table/table.ts';

/** The whole local stack in a process of its own, as `npm start` runs it, with a database in memory. */
export interface WholeStack {
  url: string;
  /** The table of the stack, for marks, which no answer shows. */
  table: Table;
  stop(): Promise<void>;
}

const MAIN = fileURLToPath(new URL('../../../infra/local/main.ts', import.meta.url));
const START_MILLIS = 120_000;

/** @param seed organizations, members and keys */
export async function startWholeStack(seed: object): Promise<WholeStack> {
  const folder = mkdtempSync(join(tmpdir(), 'whole-way-'));
  const database = await startDynamoDb();
  const seedFile = join(folder, 'seed.json');
  writeFileSync(seedFile, JSON.stringify(seed));
  const options = [
    '--port',
    `${await freePort()}`,
    '--data-dir',
    join(folder, 'data'),
    '--database',
    database.endpoint,
  ];
  const child = spawn(process.execPath, [MAIN, ...options, '--seed', seedFile, '--allow-local-targets'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
    await database.stop();
    rmSync(folder, { recursive: true });
  };
  try {
    // The stack writes this file as its last step.
    const file = join(folder, 'data', 'stack.json');
    const deadline = performance.now() + START_MILLIS;
    while (!existsSync(file)) {
      if (child.exitCode !== null || performance.now() > deadline) throw new Error('The local stack did not start');
      await sleep(100);
    }
    const { url } = JSON.parse(readFileSync(file, 'utf8')) as { url: string };
    return { url, table: new Table(localDatabase(database.endpoint), LOCAL.tableName), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
