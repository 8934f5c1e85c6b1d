import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import { DemoData } from '#infra/local/demo/demo-data.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { applySeed } from '#shared/organizations/seed.ts';
import { sweepsOf } from '#test/functions/expectations/gap-sweeps.ts';
import { call } from '#test/support/gateway.ts';
import {
  recordingEvaluations,
  recordingExpansions,
  recordingExports,
  recordingLogEntries,
  recordingQueue,
  recordingVisits,
} from '#test/support/queue.ts';
import { relayOf } from '#test/support/relay.ts';
import { testServices } from '#test/support/services.ts';
import { argumentOf, MOST_CALLS, MOST_TOKENS, QUESTIONS, rowOf } from './questions.ts';

const KEY = 'key-of-demo-admin';
/** The load makes about 370 requests with the effects of their snapshots. */
const LONGEST_MILLIS = 240_000;

const services = {
  ...(await testServices()),
  deliveries: recordingQueue().queue,
  expansions: recordingExpansions().queue,
  evaluations: recordingEvaluations().queue,
  exports: recordingExports().queue,
  logEntries: recordingLogEntries().queue,
  visits: recordingVisits().queue,
};
const dataDir = mkdtempSync(join(tmpdir(), 'demo-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
const stack = { url: 'http://localhost:8001', mail: join(dataDir, 'mail'), services };
const loadingFile = join(dataDir, 'demo-data.loading');
const printed: string[] = [];
const newStart = () => new DemoData(dataDir, (text) => printed.push(text));

const handler = groupHandler({ name: 'all', endpoints: groups.flatMap(({ endpoints }) => endpoints) }, services, {
  log: () => undefined,
});
/** Members of the organization of the first start, who are members of the one with the demo data too. */
const members = [{ user: 'demo-admin', role: 'admin', api_key: KEY } as const];
await applySeed(services, { organizations: [{ name: 'demo', members }] });

async function get<T>(path: string): Promise<T> {
  const [pathOnly = '', query = ''] = path.split('?');
  const { status, json, text } = await call(handler, { path: `/api/v2${pathOnly}`, query, key: KEY });
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
  return json as T;
}

const organizations = async () =>
  (await get<{ organizations: { name: string }[] }>('/user')).organizations.map(({ name }) => name);
const totalOf = async (path: string) => (await get<{ pagination: { total: number } }>(path)).pagination.total;

/** Counts that a second load would change. Without the relay, lists have the newest months only. */
const counts = async () => ({
  trails: await totalOf('/trails/webshop?per_page=1'),
  attestations: await totalOf('/attestations/webshop?per_page=1'),
});

it('starts again after an interruption, has all records then, and adds nothing at the next start', {
  timeout: LONGEST_MILLIS,
}, async () => {
  const interrupted = newStart();
  const loading = interrupted.start(stack, true);
  await interrupted.stop();
  await loading;
  const filling = expect.stringContaining('Filling the organization webshop');
  expect([existsSync(loadingFile), await organizations(), printed]).toEqual([true, ['demo'], [filling]]);

  await newStart().start(stack, false);
  expect(existsSync(loadingFile)).toBe(false);
  services.clock.advance(60_000_000);
  expect(await organizations()).toEqual(['demo', 'webshop']);
  expect(printed.slice(1)).toEqual([filling, expect.stringContaining('(393 requests in')]);
  expect(printed.at(-1)).toContain('/webshop/flows/payments/trails/release-10');

  const before = await counts();
  expect(await get('/trails/webshop/payments/release-10')).toMatchObject({ compliance_state: 'INCOMPLETE' });
  expect(await get('/trails/webshop/ledger/release-7')).toMatchObject({ compliance_state: 'COMPLIANT' });
  expect(await get('/trails/webshop/infra/change-5')).toMatchObject({ compliance_state: 'NON-COMPLIANT' });
  const environments = await get<{ name: string; state: boolean | null }[]>('/environments/webshop');
  expect(Object.fromEntries(environments.map(({ name, state }) => [name, state]))).toEqual({
    prod: false,
    'eu-prod': true,
    staging: true,
    jobs: null,
    edge: null,
    everything: false,
  });
  const { expectations } = await get<{ expectations: { name: string; version: number; counts: object }[] }>(
    '/expectations/webshop?include=counts',
  );
  const judged = expectations.map(({ name, version, counts }) => ({ name, version, ...counts }));
  expect(judged).toMatchObject([
    { name: 'edge-reports', missed: 1 },
    { name: 'tier-1', version: 2, met: 2 },
    { name: 'weekly-jobs', met: 2 },
  ]);
  const states = async (action: number) => {
    const page = await get<{ deliveries: { state: string; attempts: unknown[] }[] }>(
      `/actions/webshop/${action}/deliveries`,
    );
    return page.deliveries.map(({ state, attempts }) => `${state} after ${attempts.length}`);
  };
  expect(await states(1)).toEqual(['delivered after 1']);
  expect(await states(2)).toEqual(['dead after 9', 'dead after 9', 'dead after 9']);
  expect((await states(3)).toReversed().slice(0, 2)).toEqual(['discarded after 1', 'discarded after 0']);
  const { evaluations } = await get<{ evaluations: { status: string }[] }>('/evaluations/webshop');
  expect(evaluations.map(({ status }) => status)).toEqual(['completed', 'failed', 'completed']);

  await newStart().start(stack, false);
  expect([await counts(), printed.length]).toEqual([before, 3]);
});

/** Asks a tool as an agent does. @returns the answer as it is sent, and its sentences */
async function ask(name: string, args: object): Promise<{ sent: string; text: string }> {
  const { json, text: sent } = await call(handler, {
    method: 'POST',
    path: '/api/v2/mcp',
    key: KEY,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  const { isError, content } = (json as { result: { isError?: boolean; content: { text: string }[] } }).result;
  const text = content[0]?.text ?? '';
  if (isError) throw new Error(`${name} refused: ${text}`);
  return { sent, text };
}

/** Estimates tokens from above: words have about four characters a token, digests and addresses about two. */
const tokensOf = (text: string): number => Math.ceil(text.length / 2);

/** The rows of the table of questions: the texts, and the tokens that they name. */
function documentedRows(): { row: string; tokens: number }[] {
  const page = readFileSync(new URL('../../../../docs/questions.md', import.meta.url), 'utf8');
  return page.split('\n').flatMap((line) => {
    const [, row = '', tokens] = /^(\| \d+ \| .* \|) (\d+) \|$/.exec(line) ?? [];
    return tokens === undefined ? [] : [{ row, tokens: Number(tokens) }];
  });
}

it('answers thirty questions of an auditor, each with at most three calls and 8,000 tokens', {
  timeout: LONGEST_MILLIS,
}, async () => {
  // Does nothing where the data are there.
  await newStart().start(stack, true);
  services.clock.advance(60_000_000);
  const { table } = services;
  const webshop = await new Directory(table).organization('webshop');
  if (!webshop) throw new Error('The demo data are not there');
  await relayOf(services, webshop.id).settle();
  await sweepsOf(services, webshop.id).sweep({ table });
  const now = Date.now();
  const measured: { row: string; tokens: number; missing: string[] }[] = [];
  for (const [n, question] of QUESTIONS.entries()) {
    expect(question.calls.length).toBeLessThanOrEqual(MOST_CALLS);
    const answers = [{ sent: '', text: '' }];
    let asked = '';
    for (const { tool, args } of question.calls) {
      const before = answers.at(-1)?.sent ?? '';
      const given = Object.entries(args).map(([name, value]) => [name, argumentOf(value, { before, now })]);
      const sent = { org: 'webshop', ...Object.fromEntries(given) };
      asked += JSON.stringify(sent);
      answers.push(await ask(tool, sent));
    }
    const text = answers.map((answer) => answer.text).join('\n');
    const tokens = tokensOf(asked + answers.map(({ sent }) => sent).join(''));
    const missing = question.says.filter((part) => !text.includes(part)).map((part) => `${part} in: ${text}`);
    measured.push({ row: rowOf(question, n), tokens, missing });
  }
  expect(measured.flatMap(({ missing }) => missing)).toEqual([]);
  expect(measured.length).toBe(30);
  expect(Math.max(...measured.map(({ tokens }) => tokens))).toBeLessThanOrEqual(MOST_TOKENS);
  const documented = documentedRows();
  expect(documented.map(({ row }) => row)).toEqual(measured.map(({ row }) => row));
  const stale = measured.filter(({ tokens }, n) => {
    const upTo = documented[n]?.tokens ?? 0;
    return tokens > upTo || tokens < upTo / 2;
  });
  expect(stale.map(({ row, tokens }) => `${row} ${tokens} |`)).toEqual([]);
});
