import { beforeAll, describe, expect, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { buildConsole } from '#infra/bundles/console.ts';
import { DATA_FORMAT } from '#shared/base/data-format.ts';
import { changesRecords, readsTable } from '#shared/http/endpoint.ts';
import { fullPath } from '#shared/http/gateway-event.ts';
import { type GroupHandler, groupHandler } from '#shared/http/lambda.ts';
import { tableStateKey } from '#shared/table/keys.ts';
import { organizationWith, uniqueName } from '#test/support/directory.ts';
import { call } from '#test/support/gateway.ts';
import { policyText } from '#test/support/policies.ts';
import { type TestServices, testServices } from '#test/support/services.ts';

const MAINTENANCE = 'The service is in maintenance: it answers reads and takes no changes. Try again later';
const TRUSTED_MICROS = 10_000_000;

/** Handlers of all groups on a table of their own. */
async function setting() {
  const services = await testServices();
  const { name, keys } = await organizationWith(services, ['admin']);
  const handlers = groups.map((group) => groupHandler(group, services, { log: () => undefined }));
  const operate = (command: string, fields: Record<string, unknown> = {}) =>
    runOperator(services, { command, ...fields });
  return { services, handlers, operate, org: name, key: keys.admin };
}

const ENDPOINTS = groups.flatMap(({ endpoints }, group) => endpoints.map((endpoint) => ({ endpoint, group })));
const byNeed = (isWanted: (endpoint: (typeof ENDPOINTS)[number]['endpoint']) => boolean) =>
  ENDPOINTS.filter(({ endpoint }) => isWanted(endpoint)).map(
    ({ endpoint, group }) => [`${endpoint.method} ${endpoint.path}`, endpoint, group] as const,
  );

const ask = (handler: GroupHandler | undefined, method: string, path: string, org: string, key: string) => {
  if (!handler) throw new Error('There is no such group');
  const filled = fullPath(path).replace(/\{(\w+)\+?\}/g, (_, name: string) => (name === 'org' ? org : 'none'));
  return call(handler, { method, path: filled, key, ...(method !== 'GET' && { body: {} }) });
};

function handlerOf(handlers: readonly GroupHandler[], group: string): GroupHandler {
  const handler = handlers[groups.findIndex(({ name }) => name === group)];
  if (!handler) throw new Error(`There is no group ${group}`);
  return handler;
}

const stateOf = async ({ table }: TestServices) => (await table.get(tableStateKey())) ?? null;

let inMaintenance: Awaited<ReturnType<typeof setting>>;
let ofLaterRelease: Awaited<ReturnType<typeof setting>>;
beforeAll(async () => {
  await buildConsole();
  inMaintenance = await setting();
  ofLaterRelease = await setting();
  await inMaintenance.operate('maintenance', { enabled: true });
  await ofLaterRelease.services.table.put({ ...tableStateKey(), v: 1, format: DATA_FORMAT + 1 });
});

describe('maintenance', () => {
  test.each(byNeed(changesRecords))('refuses %s, and says when to try again', async (_, { method, path }, group) => {
    const { handlers, org, key } = inMaintenance;
    const { status, json, headers } = await ask(handlers[group], method, path, org, key);
    expect([status, json]).toEqual([503, expect.objectContaining({ message: MAINTENANCE })]);
    expect(headers['retry-after']).toBe('30');
  });

  test.each(byNeed((endpoint) => !changesRecords(endpoint)))(
    'answers %s as ever',
    async (_, { method, path }, group) => {
      const { handlers, org, key } = inMaintenance;
      expect((await ask(handlers[group], method, path, org, key)).status).not.toBe(503);
    },
  );

  test('refuses a draft of an agent, and answers its questions', async () => {
    const { handlers, org, key } = inMaintenance;
    const ask = async (name: string, args: object) => {
      const params = { name, arguments: { org, ...args } };
      const { json } = await call(handlerOf(handlers, 'mcp'), {
        method: 'POST',
        path: '/api/v2/mcp',
        key,
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
      const { isError = false, content } = (json as { result: { isError?: boolean; content: { text: string }[] } })
        .result;
      return [isError, content[0]?.text];
    };
    expect(await ask('find', { text: 'none' })).toEqual([false, expect.stringContaining('0 records')]);
    expect(await ask('draft_policy', { name: 'p', policy: policyText('provenance: {required: true}') })).toEqual([
      true,
      MAINTENANCE,
    ]);
  });

  test('does not record the use of a key', async () => {
    const { services, handlers, key } = inMaintenance;
    const { json } = await call(handlerOf(handlers, 'user'), { path: '/api/v2/user/api-keys', key });
    expect(json).toMatchObject([{ last_used_at: 0 }]);
    expect(await stateOf(services)).toMatchObject({ closed_at: expect.any(Number) });
  });

  test('is kept to by running functions within ten seconds, and its end as well', async () => {
    const { services, handlers, operate, org, key } = await setting();
    const flows = handlerOf(handlers, 'flows');
    const putFlow = async () =>
      (await call(flows, { method: 'PUT', path: `/api/v2/flows/${org}`, key, body: { name: uniqueName('f') } })).status;
    expect(await putFlow()).toBe(201);
    expect(await operate('maintenance', { enabled: true })).toMatchObject({ ok: true, enabled: true });
    services.clock.advance(TRUSTED_MICROS);
    expect(await putFlow()).toBe(503);
    expect(await operate('maintenance', { enabled: false })).toMatchObject({ ok: true, enabled: false });
    services.clock.advance(TRUSTED_MICROS);
    expect(await putFlow()).toBe(201);
  });

  test('refuses commands that change something, and takes those for maintenance', async () => {
    const { operate, org } = inMaintenance;
    expect(await operate('create-user', { name: uniqueName('user') })).toEqual({ ok: false, message: MAINTENANCE });
    expect(await operate('list-sign-in-grants', { organization: org })).toMatchObject({ ok: true });
    expect(await operate('maintenance', { enabled: 'yes' })).toMatchObject({ ok: false });
    const begun = await stateOf(inMaintenance.services);
    expect(await operate('maintenance', { enabled: true })).toMatchObject({ ok: true });
    expect(await stateOf(inMaintenance.services)).toEqual(begun);
  });
});

describe('a table in the format of a later release', () => {
  const NEWER = `The table has data format ${DATA_FORMAT + 1}, and this release reads formats up to ${DATA_FORMAT}. Deploy the release that wrote it`;

  test.each(byNeed(readsTable))('is not read by %s', async (_, { method, path }, group) => {
    const { handlers, org, key } = ofLaterRelease;
    const { status, json } = await ask(handlers[group], method, path, org, key);
    expect([status, json]).toEqual([503, expect.objectContaining({ message: NEWER })]);
  });

  test('is reported by /ready, and the description of the API is still there', async () => {
    const meta = handlerOf(ofLaterRelease.handlers, 'meta');
    expect(await call(meta, { path: '/ready' })).toMatchObject({ status: 503, json: { message: NEWER } });
    expect(await call(meta, { path: '/api/v2/openapi.json' })).toMatchObject({ status: 200 });
    const ready = handlerOf(inMaintenance.handlers, 'meta');
    expect(await call(ready, { path: '/ready' })).toMatchObject({ status: 200, text: 'OK' });
  });

  test('takes no command', async () => {
    expect(await ofLaterRelease.operate('maintenance', { enabled: true })).toEqual({ ok: false, message: NEWER });
  });
});
