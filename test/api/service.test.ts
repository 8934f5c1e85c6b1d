import { expect, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import { BASE_PATH } from '#shared/base/addresses.ts';
import { CONTENT_TYPES } from '#shared/http/answers.ts';
import { fullPath } from '#shared/http/gateway-event.ts';
import { openApiDocument } from '#shared/http/openapi.ts';

test('the API has version 2 in its base path, and 2.0 as the version of its description', () => {
  const { info, servers } = openApiDocument(groups);
  expect([BASE_PATH, fullPath('/builds/{org}'), servers]).toEqual([
    '/api/v2',
    '/api/v2/builds/{org}',
    [{ url: '/api/v2' }],
  ]);
  expect(info.version).toBe('2.0');
});

test('no endpoint streams events or takes subscriptions', () => {
  expect(Object.values(CONTENT_TYPES).filter((type) => /event-stream|ndjson/.test(type))).toEqual([]);
  const names = groups.flatMap(({ endpoints }) => endpoints.map(({ operation, path }) => `${operation} ${path}`));
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => /subscri|stream|socket|[/?]watch\b/i.test(name))).toEqual([]);
});
