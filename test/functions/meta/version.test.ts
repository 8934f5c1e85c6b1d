import { describe, expect, it } from 'vitest';
import { describeApi } from '#functions/groups.ts';
import { metaGroup } from '#functions/meta/endpoints.ts';
import { BASE_PATH } from '#shared/base/addresses.ts';
import { DATA_FORMAT } from '#shared/base/data-format.ts';
import { systemClock } from '#shared/base/time.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { call } from '#test/support/gateway.ts';

const handler = groupHandler(
  metaGroup(() => '{}'),
  { clock: systemClock() },
  { log: () => {} },
);
const ask = (method: string, more: { query?: string; key?: string } = {}) =>
  call(handler, { method, path: `${BASE_PATH}/version`, ...more });

it('the OpenAPI document names the release that serves it', async () => {
  const described = groupHandler(metaGroup(describeApi), { clock: systemClock() }, { log: () => {} });
  const { json } = await call(described, { method: 'GET', path: `${BASE_PATH}/openapi.json` });
  const { info } = json as { info: Record<string, unknown> };
  expect(info).toMatchObject({
    title: 'Delivery-evidence service API',
    version: '2.0',
    'x-release': { version: 'unknown', commit: 'unknown', data_format: DATA_FORMAT },
  });
});

describe('GET /version', () => {
  it('answers version, commit and data format, which are unknown where nobody stated them', async () => {
    const answer = await ask('GET');
    expect([answer.status, answer.json]).toEqual([
      200,
      { version: 'unknown', commit: 'unknown', data_format: DATA_FORMAT },
    ]);
  });

  it('answers strangers and callers with a key that does not exist', async () => {
    expect((await ask('GET', { key: 'dek_nobody' })).status).toBe(200);
  });

  it('answers 400 for a query parameter, because it takes none', async () => {
    expect((await ask('GET', { query: 'format=2' })).status).toBe(400);
  });

  it.each(['POST', 'PUT', 'DELETE'])('answers 404 for the method %s', async (method) => {
    expect((await ask(method)).status).toBe(404);
  });
});
