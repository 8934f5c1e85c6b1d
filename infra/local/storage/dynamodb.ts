import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  CreateTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { createTableInput, TABLE } from '#shared/table/table-definition.ts';
import { freePort, isCode } from '../ports.ts';
import { localClient } from '../settings.ts';
import { StartError } from '../start-error.ts';
import { databaseProgram, type Program } from './dynamodb-program.ts';

interface DynamoDb {
  endpoint: string;
  /** Rejects if the server ends although `stop` was not called. Resolves after `stop`. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

interface DynamoDbOptions {
  /** Folder of the database files. @default in memory */
  dataDir?: string | undefined;
  /** TCP port. @default any free port */
  port?: number;
  /** Whether the server writes an archive of its classes at its end, if there is none. Later starts use it. */
  recordsClasses?: boolean;
}

/**
 * How long the database runs on after its parent process has ended. If both are killed at the same time, the database can
 * lose the last transaction that it answered (rules/storage.md#dynamodb-local).
 */
const QUIET_SECONDS = 2;
const START_MILLIS = 60_000;
/** How long a new start waits for the server of a killed stack to release its files. */
const RELEASE_MILLIS = 15_000;
const PID_FILE = 'dynamodb.pid';

const WATCH = fileURLToPath(new URL('dynamodb-watch.sh', import.meta.url));

/**
 * Starts DynamoDB Local. The server ends when this process ends, even if this process is killed.
 *
 * @throws StartError if there is no Java or if the server does not answer in time
 */
export async function startDynamoDb(options: DynamoDbOptions = {}): Promise<DynamoDb> {
  requireJava();
  const dataDir = options.dataDir === undefined ? undefined : resolve(options.dataDir);
  if (dataDir !== undefined) {
    mkdirSync(dataDir, { recursive: true });
    await waitForRelease(dataDir);
  }
  // Another program can take the free port before the server binds it.
  const attempts = options.port === undefined ? 3 : 1;
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePort());
    try {
      return await launch(port, dataDir, databaseProgram({ recordsClasses: options.recordsClasses }));
    } catch (error) {
      if (attempt === attempts) throw error;
    }
  }
}

/** The server gets a process group of its own, so that Ctrl-C in a terminal does not end it before the stack stops it. */
async function launch(port: number, dataDir: string | undefined, program: Program): Promise<DynamoDb> {
  const watch = [
    WATCH,
    dataDir === undefined ? '' : join(dataDir, PID_FILE),
    dataDir === undefined ? '0' : `${QUIET_SECONDS}`,
  ];
  const java = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xms128m', '-Xmx768m', ...program.args];
  const database = ['-port', `${port}`, '-sharedDb', '-disableTelemetry'];
  const storage = dataDir === undefined ? ['-inMemory'] : ['-dbPath', dataDir];
  const child = spawn('sh', [...watch, ...java, ...database, ...storage], {
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  // A write to a server that has just ended needs no error: `exited` reports the end.
  child.stdin?.on('error', () => undefined);
  let errorOutput = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errorOutput = (errorOutput + chunk.toString()).slice(-2_000);
  });
  const exited = once(child, 'exit');

  const endpoint = `http://127.0.0.1:${port}`;
  let stopping = false;
  const stop = async () => {
    stopping = true;
    child.stdin?.end();
    await exited;
    program.ended();
  };
  if (!(await waitForAnswer(endpoint, child))) {
    await stop();
    throw new StartError(`The local database did not start on port ${port}: ${firstLine(errorOutput) || 'no answer'}.`);
  }
  const ended = exited.then(() => {
    if (!stopping)
      throw new Error(`The local database ended by itself: ${firstLine(errorOutput) || 'no reason given'}`);
  });
  // A caller that does not use `ended` must not crash because of an unhandled rejection.
  ended.catch(() => undefined);
  return { endpoint, ended, stop };
}

const firstLine = (text: string) => text.trim().split('\n')[0] ?? '';

function requireJava(): void {
  const probe = spawnSync('java', ['-version'], { stdio: 'ignore' });
  if (probe.error || probe.status !== 0) {
    throw new StartError(
      'Java is needed for the local database, and there is no working "java" on the PATH: install Java 17 or later.',
      probe.error,
    );
  }
}

/** Waits for the first answer of the server. @returns false if the server ended or did not answer in time */
async function waitForAnswer(endpoint: string, child: ChildProcess): Promise<boolean> {
  const deadline = Date.now() + START_MILLIS;
  while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
    if (await isDatabase(endpoint)) return true;
    await sleep(100);
  }
  return false;
}

const isDatabase = async (endpoint: string): Promise<boolean> => {
  try {
    const response = await fetch(endpoint, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.headers.has('x-amzn-requestid');
  } catch (error) {
    // A server that is still starting refuses connections or cuts them.
    if (error instanceof TypeError || (error as Error).name === 'TimeoutError') return false;
    throw error;
  }
};

/** Waits until the server of an earlier, killed stack has released its files. */
export async function waitForRelease(dataDir: string): Promise<void> {
  const file = join(dataDir, PID_FILE);
  const deadline = Date.now() + RELEASE_MILLIS;
  while (existsSync(file)) {
    const pid = readFileSync(file, 'utf8').trim();
    if (!servesFrom(pid, dataDir)) return;
    if (Date.now() > deadline) {
      throw new StartError(`The local database of an earlier start (process ${pid}) still holds ${dataDir}.`);
    }
    await sleep(100);
  }
}

/** The system reuses process ids, so the command line decides whether the process is the server of this folder. */
function servesFrom(pid: string, dataDir: string): boolean {
  if (!/^\d+$/.test(pid)) return false;
  const command = commandLine(pid);
  return command.includes('DynamoDBLocal.jar') && command.includes(dataDir);
}

/** Returns the command line of a process, or '' if there is no such process. Small images have /proc but no `ps`. */
function commandLine(pid: string): string {
  if (!existsSync('/proc/self')) {
    return spawnSync('ps', ['-ww', '-o', 'args=', '-p', pid], { encoding: 'utf8' }).stdout ?? '';
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ESRCH')) return '';
    throw error;
  }
}

/** Creates the table with its stream and its time to live, unless it exists. */
export async function ensureTable(endpoint: string, name: string): Promise<void> {
  const client = new DynamoDBClient(localClient(endpoint));
  try {
    await client.send(new CreateTableCommand(createTableInput(name))).catch((error: unknown) => {
      if (!(error instanceof ResourceInUseException)) throw error;
    });
    const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
    if (TimeToLiveDescription?.TimeToLiveStatus === 'ENABLED') return;
    await client.send(
      new UpdateTimeToLiveCommand({
        TableName: name,
        TimeToLiveSpecification: { AttributeName: TABLE.timeToLive, Enabled: true },
      }),
    );
  } finally {
    client.destroy();
  }
}
