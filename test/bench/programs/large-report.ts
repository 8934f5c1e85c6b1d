import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { pid } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { localDatabase } from '#infra/local/clients.ts';
import { throttling } from '#infra/local/faults/fault-endpoints.ts';
import { LOCAL } from '#infra/local/settings.ts';
import { startStack } from '#infra/local/stack.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { applySeed } from '#shared/organizations/seed.ts';
import { Table } from '#shared/table/table.ts';
import { copiesOfReports } from '#test/support/copies/copied-reports.ts';
import { testFingerprint } from '#test/support/ids.ts';
import { policyText, STRICT } from '#test/support/policies.ts';

/**
 * `npm run bench:report -- [options]`: measures a report of many artifacts to an environment with five policies, and with
 * `--rules` two more of so many rules each. The functions run from their bundles, each in a process of its own. Works on Linux only, which shows time and memory of
 * processes as files.
 */

const { values } = parseArgs({
  options: {
    artifacts: { type: 'string', default: '10000' },
    known: { type: 'string', default: '2000' },
    'latency-ms': { type: 'string', default: '10' },
    throttle: { type: 'string', default: '0' },
    rules: { type: 'string', default: '0' },
  },
});

const ORG = 'bench';
const KEY = 'key-of-the-bench';
const MODEL = 'the-model';
/** How long the measurement waits for a snapshot. */
const LONGEST_MILLIS = 240_000;
const CONTROL = 'SC-1';
const TEMPLATE = 'version: 1\ntrail:\n  attestations:\n    - {name: review, type: generic}\n';
const POLICIES = [
  STRICT,
  policyText('attestations:', '  - {type: generic, name: review}'),
  policyText('attestations:', `  - {type: decision, for_control: ${CONTROL}}`),
  policyText('provenance:', '  required: true', `  exceptions: [{if: 'flow.tags.kind == "tool"'}]`),
  policyText('attestations:', `  - {type: "*", name: review, if: 'matches(flow.name, "^f")'}`),
  ...(Number(values.rules) > 0 ? ['even', 'odd'].map(manyRules) : []),
];
/** Linux counts the time of processes in hundredths of a second. */
const TICKS_PER_SECOND = 100;

const known = namesOf('known', Number(values.known));
const strangers = namesOf('stranger', Number(values.artifacts) - known.length);
const stack = await startStack({
  port: 0,
  bundles: true,
  disturbance: { latencyMillis: Number(values['latency-ms']), decide: throttling(Number(values.throttle)) },
  seed: async (services) => {
    const members = [{ user: 'bench', role: 'admin', api_key: KEY }];
    await applySeed(services, { organizations: [{ name: ORG, features: ['controls'], members }] });
  },
});
try {
  await fill();
  // The relay reads what the fill stored. It would take processor time from the report.
  await sleep(10_000);
  await report('first', 1, [...known, ...strangers]);
  await report('changed', 2, [...known, ...strangers.slice(1)]);
} finally {
  await stack.stop();
}

function namesOf(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
}

function manyRules(kind: string): string {
  const rules = Array.from({ length: Number(values.rules) }, (_, i) => `  - {type: generic, name: ${kind}-${i}}`);
  return policyText('attestations:', ...rules);
}

function inOwnTrail(name: string) {
  return { fingerprint: testFingerprint(hash('sha256', name)), trail: name };
}

async function fill(): Promise<void> {
  await call('POST', `/controls/${ORG}`, { identifier: CONTROL, name: 'Source' });
  for (const [i, text] of POLICIES.entries()) await putFile(`/policies/${ORG}`, 'payload', { name: `p${i}` }, text);
  await putFile(`/flows/${ORG}/template_file`, 'data_json', { name: 'flow', description: '' }, TEMPLATE);
  await call('POST', `/artifacts/${ORG}/flow`, {
    fingerprint: inOwnTrail(MODEL).fingerprint,
    filename: 'app.tar',
    git_commit: hash('sha1', MODEL),
    build_url: 'https://ci.example/1',
    commit_url: 'https://git.example/1',
    template_reference_name: 'app',
    trail_name: MODEL,
  });
  const trail = `/attestations/${ORG}/flow/trail/${MODEL}`;
  await call('POST', `${trail}/generic`, { attestation_name: 'review', is_compliant: true });
  const decision = { type_name: 'decision', control: CONTROL, attestation_name: 'gate' };
  await call('POST', `${trail}/system`, { ...decision, attestation_data: { is_compliant: true } });
  const policies = POLICIES.map((_, i) => `p${i}`);
  await call('PUT', `/environments/${ORG}`, { name: 'prod', type: 'server', description: '', policies });

  const database = localDatabase(stack.endpoints.dynamodb);
  const table = new Table(database, LOCAL.tableName);
  const organization = await new Directory(table).organization(ORG);
  if (!organization) throw new Error('The organization does not exist');
  // Copies do for the time of a report, which checks no hashes of the evidence.
  const items = await copiesOfReports(table, organization.id, inOwnTrail(MODEL), CONTROL, known.map(inOwnTrail));
  const batches = Array.from({ length: Math.ceil(items.length / 25) }, (_, i) => items.slice(i * 25, i * 25 + 25));
  await inParallel(batches, 4, (batch) => table.putMany(batch));
  database.destroy();
}

async function report(name: string, index: number, running: readonly string[]): Promise<void> {
  const artifacts = running.map((one) => ({
    digests: { [one]: inOwnTrail(one).fingerprint },
    creationTimestamp: 1_776_000_000,
  }));
  const before = stackProcesses();
  const began = performance.now();
  const response = await send('PUT', `/environments/${ORG}/prod/report/server`, { artifacts });
  const seconds = (performance.now() - began) / 1_000;
  const text = await response.text();
  // The gateway does not wait longer than 29 seconds. The function may still store the snapshot on a busy machine.
  const stored = await secondsUntilSnapshot(index, began);
  const after = stackProcesses();
  const used = (processes: readonly Process[]) => processes.reduce((sum, one) => sum + one.seconds, 0);
  const [whole, own] = [used(after) - used(before), used(after.filter(isFunction)) - used(before.filter(isFunction))];
  const peak = Math.max(...after.filter(isFunction).map(({ peakKibibytes }) => peakKibibytes));
  console.log(
    `${name}: ${response.status} ${text.trim()}; answered after ${seconds.toFixed(1)} s, stored after ${stored} s. The function used ${own.toFixed(1)} s of processor ` +
      `time and at most ${Math.round(peak / 1_024)} MiB; the whole stack used ${whole.toFixed(1)} s of processor time`,
  );
}

async function secondsUntilSnapshot(index: number, began: number): Promise<string> {
  while (performance.now() - began < LONGEST_MILLIS) {
    const { status } = await send('GET', `/snapshots/${ORG}/prod/${index}/artifacts?per_page=1`);
    if (status === 200) return ((performance.now() - began) / 1_000).toFixed(1);
    await sleep(500);
  }
  return `more than ${LONGEST_MILLIS / 1_000}`;
}

interface Process {
  id: number;
  parent: number;
  command: string;
  /** Processor time. */
  seconds: number;
  peakKibibytes: number;
}

/** Whether a process runs the function of environments. */
function isFunction({ command }: Process): boolean {
  return command.includes('/environments\0');
}

/** This process and all processes that it started. */
function stackProcesses(): Process[] {
  const ids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  const all = ids.flatMap((id) => readProcess(Number(id)) ?? []);
  const withDescendants = (one: Process): Process[] => [
    one,
    ...all.filter(({ parent }) => parent === one.id).flatMap(withDescendants),
  ];
  return all.filter(({ id }) => id === pid).flatMap(withDescendants);
}

/** @returns undefined if the process has ended */
function readProcess(id: number): Process | undefined {
  // The name of the program stands in parentheses and may contain spaces.
  const fields = readProcessFile(id, 'stat').split(') ').at(-1)?.split(' ') ?? [];
  if (fields.length < 13) return undefined;
  const [, parent, , , , , , , , , , user, system] = fields;
  const kibibytes = /VmHWM:\s+(\d+) kB/.exec(readProcessFile(id, 'status'))?.[1];
  return {
    id,
    parent: Number(parent),
    command: readProcessFile(id, 'cmdline'),
    seconds: (Number(user) + Number(system)) / TICKS_PER_SECOND,
    peakKibibytes: Number(kibibytes ?? 0),
  };
}

/** @returns '' if the process has ended meanwhile */
function readProcessFile(id: number, file: string): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

async function call(method: string, path: string, body: unknown): Promise<void> {
  const response = await send(method, path, body);
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
}

function send(method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${stack.url}/api/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function putFile(path: string, field: string, fields: unknown, text: string): Promise<void> {
  const form = new FormData();
  form.set(field, JSON.stringify(fields));
  form.set(field === 'payload' ? 'policy_file' : 'template_file', new Blob([text]), 'file.yml');
  const headers = { authorization: `Bearer ${KEY}` };
  const response = await fetch(`${stack.url}/api/v2${path}`, { method: 'PUT', headers, body: form });
  if (!response.ok) throw new Error(`PUT ${path}: ${response.status} ${await response.text()}`);
}
