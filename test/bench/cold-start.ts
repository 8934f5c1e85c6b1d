import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { groups } from '#functions/groups.ts';
import { type Bundle, bundleFunctions, ENGINE_GROUPS, ENGINES_FOLDER } from '#infra/bundles/bundle.ts';
import { bundleHello } from '#infra/bundles/hello.ts';
import { unpack } from '#infra/bundles/unpack.ts';
import { localDatabase } from '#infra/local/clients.ts';
import { LOCAL } from '#infra/local/settings.ts';
import { ensureTable, startDynamoDb } from '#infra/local/storage/dynamodb.ts';
import { systemClock } from '#shared/base/time.ts';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { fullPath } from '#shared/http/gateway-event.ts';
import { applySeed } from '#shared/organizations/seed.ts';
import { Table } from '#shared/table/table.ts';

/**
 * `npm run bench:cold`: measures how long each bundle takes from the start of its process to its first answer, with a
 * local database. Each bundle is compared with a hello-world handler that has the same clients of the SDK. The figures
 * are medians of {@link RUNS} starts. They depend on the machine and its load, so only the ratios are comparable.
 */

const RUNS = 10;
const KEY = 'key-of-the-bench';

/** Script that loads a bundle, calls it once and prints the status. */
const SCRIPT = `
  const { handler } = require('./index.js');
  handler(JSON.parse(process.argv[1]), {}).then(({ statusCode }) => console.log('first answer ' + statusCode));`;

interface Start {
  millis: number;
  status: string;
}

async function measureStart(folder: string, event: unknown, env: Record<string, string>): Promise<Start> {
  const began = performance.now();
  const child = spawn(process.execPath, ['-e', SCRIPT, JSON.stringify(event)], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    const status = /first answer (\d+)/.exec(text)?.[1];
    if (status === undefined) continue;
    const millis = performance.now() - began;
    child.kill('SIGKILL');
    await exited;
    return { millis, status };
  }
  throw new Error(`The bundle in ${folder} gave no answer: ${text}`);
}

async function medianStart(folder: string, event: unknown, env: Record<string, string>): Promise<Start> {
  const starts: Start[] = [];
  for (let i = 0; i < RUNS; i += 1) starts.push(await measureStart(folder, event, env));
  const sorted = starts.toSorted((a, b) => a.millis - b.millis);
  const middle = [sorted[RUNS / 2 - 1], sorted[RUNS / 2]].filter((start) => start !== undefined);
  return {
    millis: middle.reduce((sum, { millis }) => sum + millis, 0) / middle.length,
    status: [...new Set(starts.map(({ status }) => status))].join('/'),
  };
}

/** Makes an event for the first read of the group that needs a credential, or else for the first endpoint. */
function requestOf({ endpoints }: EndpointGroup): unknown {
  const chosen = endpoints.find(({ method, access }) => method === 'GET' && access !== 'public') ?? endpoints[0];
  if (!chosen) throw new Error('A group without endpoints');
  const values: Record<string, string> = { org: 'bench', fingerprint: 'a'.repeat(64), n: '0', action_number: '1' };
  const path = fullPath(chosen.path).replaceAll(/\{([^}]+)\}/g, (_, name: string) => values[name] ?? 'x');
  return {
    version: '2.0',
    rawPath: path,
    rawQueryString: '',
    headers: { authorization: `Bearer ${KEY}` },
    requestContext: { requestId: 'bench', domainName: 'localhost', http: { method: chosen.method, path } },
    isBase64Encoded: false,
  };
}

const kib = (bytes: number) => `${(bytes / 1024).toFixed(0)} KiB`.padStart(8);
const printLine = (name: string, size: string, { millis, status }: Start, ratio = 1) =>
  console.log(
    `${name.padEnd(28)}${size}${millis.toFixed(0).padStart(8)} ms${ratio.toFixed(2).padStart(7)} x   ${status}`,
  );

async function measure(folder: string, endpoint: string, bundles: readonly Bundle[]): Promise<void> {
  const environment = {
    TABLE_NAME: LOCAL.tableName,
    BUCKET_NAME: LOCAL.bucketName,
    AWS_REGION: LOCAL.region,
    AWS_ACCESS_KEY_ID: LOCAL.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: LOCAL.credentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  };
  const unpacked = (name: string) => join(folder, 'unpacked', name);
  console.log('bundle                      archive   first answer  to hello  status');
  const hello = new Map<string, Start>();
  for (const group of groups) {
    const { name } = group;
    const bundle = bundles.find((candidate) => candidate.name === name);
    if (!bundle) throw new Error(`There is no bundle of ${name}`);
    const clients = bundle.clients.join(' ');
    if (!hello.has(clients)) {
      const title = `hello-${hello.size + 1}`;
      const size = await bundleHello(folder, title, bundle.clients);
      unpack(join(folder, `${title}.zip`), unpacked(title));
      const median = await medianStart(unpacked(title), {}, environment);
      hello.set(clients, median);
      printLine(`${title} (${bundle.clients.length} clients)`, kib(size), median);
    }
    unpack(bundle.zip, unpacked(name));
    const engines: Record<string, string> = {};
    if (ENGINE_GROUPS.has(name)) engines['ENGINES_PATH'] = join(unpacked(name), ENGINES_FOLDER);
    const median = await medianStart(unpacked(name), requestOf(group), { ...environment, ...engines });
    printLine(name, kib(bundle.size), median, median.millis / (hello.get(clients)?.millis ?? Number.NaN));
  }
}

const folder = mkdtempSync(join(tmpdir(), 'cold-'));
const database = await startDynamoDb();
try {
  const bundles = await bundleFunctions(
    folder,
    groups.map(({ name }) => name),
  );
  await ensureTable(database.endpoint, LOCAL.tableName);
  const table = new Table(localDatabase(database.endpoint), LOCAL.tableName);
  const members = [{ user: 'ann', role: 'admin' as const, api_key: KEY }];
  await applySeed(
    { table, clock: systemClock() },
    { organizations: [{ name: 'bench', personal: false, features: ['controls', 'evaluations'], members }] },
  );
  await measure(folder, database.endpoint, bundles);
} finally {
  await database.stop();
  rmSync(folder, { recursive: true });
}
