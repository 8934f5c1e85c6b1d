import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type Endpoint, endpoint } from '#shared/http/endpoint.ts';
import type { Table } from '#shared/table/table.ts';
import { organizationWith } from '#test/support/directory.ts';
import { call } from '#test/support/gateway.ts';
import { thingsOn, whoAmI } from '#test/support/records/things.ts';
import { testTable } from '#test/support/table.ts';

let table: Table;
beforeAll(async () => {
  table = await testTable();
});
const setup = (endpoints?: Endpoint[]) => thingsOn(table, endpoints);

describe('faults', () => {
  test('are answered with 500, and only the log has the reason', async () => {
    const { services, get, entries } = setup();
    const { name, keys } = await organizationWith(services, ['reader']);
    const answer = await get(`/api/v2/things/${name}/broken`, keys.reader);
    expect(answer).toMatchObject({ status: 500, json: { message: 'Internal server error' } });
    expect(answer.headers['x-request-id']).toBe('request-1');
    expect(JSON.stringify(entries[0])).toContain('table name and key');
    expect(entries[1]).toMatchObject({ status: 500, level: 'ERROR' });
  });

  test('unknown paths and methods are 404 in JSON, before any credential', async () => {
    const { handler, get } = setup();
    expect(await get('/api/v2/nothing')).toMatchObject({ status: 404, json: { message: 'Not Found' } });
    expect(await call(handler, { method: 'DELETE', path: '/api/v2/user' })).toMatchObject({ status: 404 });
    expect((await get('/user')).status).toBe(404);
  });

  test('a definition that needs a role but has no organization throws at the start', () => {
    expect(() => setup([{ ...whoAmI, access: 'reader' }])).toThrow('whoAmI');
  });
});

describe('routes', () => {
  const at = (operation: string, path: string) =>
    endpoint({
      operation,
      method: 'GET',
      path,
      summary: operation,
      access: 'public',
      params: z.object({}),
      query: z.object({}),
      body: { kind: 'none' },
      success: { 200: z.string() },
      errors: [],
      handler: async () => ({ status: 200, body: operation }),
    });

  test('routes with a fixed segment come before those with a parameter, whatever their order', async () => {
    const { get } = setup([
      at('rest', '/r/{proxy+}'),
      at('parameter', '/r/{a}/{b}'),
      at('fixed', '/r/{a}/x'),
      at('first', '/r/y/{b}'),
    ]);
    expect((await get('/api/v2/r/1/x')).json).toBe('fixed');
    expect((await get('/api/v2/r/1/2')).json).toBe('parameter');
    expect((await get('/api/v2/r/y/x')).json).toBe('first');
    expect((await get('/api/v2/r/1/2/3')).json).toBe('rest');
  });

  test('pass the rest of a path under the name of the definition, and need at least one segment', async () => {
    const rest = endpoint({
      operation: 'rest',
      method: 'GET',
      path: '/r/{a}/{name+}',
      summary: 'rest',
      access: 'public',
      params: z.object({ a: z.string(), name: z.string() }),
      query: z.object({}),
      body: { kind: 'none' },
      success: { 200: z.string() },
      errors: [],
      handler: async ({ params }) => ({ status: 200, body: `${params.a}: ${params.name}` }),
    });
    const { get } = setup([rest, at('list', '/r/{a}')]);
    expect((await get('/api/v2/r/1/x')).json).toBe('1: x');
    expect((await get('/api/v2/r/1/x/y z/%2F')).json).toBe('1: x/y z/%2F');
    expect((await get('/api/v2/r/1')).json).toBe('list');
    expect((await get('/api/v2/r/1/')).status).toBe(404);
  });
});
