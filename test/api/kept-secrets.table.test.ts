import { describe, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import { hashKey } from '#shared/callers/credentials.ts';
import { SECRET, UUID } from '#test/support/admin.ts';
import { testApi } from '#test/support/api.ts';
import { organizationWith } from '#test/support/directory.ts';
import { scanTable } from '#test/support/table/scan-items.ts';
import { databaseAddress } from '#test/support/table.ts';

/** SECURITY.md#keys: where keys, bodies and headers do not appear (rules/requests.md#request-log). */

const api = await testApi(groups);
const { name: org, keys } = await organizationWith(api.services, ['admin', 'reader']);
const QUERY = 'search=query-marker';

/** Sends a request with a marker in its query, its headers and a cookie, and returns the log lines that it caused. */
async function linesOf(method: string, path: string, key: string, query: string): Promise<string> {
  const before = api.entries.length;
  await api.call(method, path, {
    key,
    json: { name: 'web', description: 'body-marker' },
    query,
    headers: { 'idempotency-key': `header-marker-${method}-${path.length}-${before}`, 'user-agent': 'header-marker' },
    cookies: ['other=cookie-marker'],
  });
  return JSON.stringify(api.entries.slice(before));
}

describe('the log', () => {
  it.each([
    ['an accepted write', 201, 'PUT', `/flows/${org}`, keys.admin, ''],
    ['a read that finds nothing', 404, 'GET', `/artifacts/${org}`, keys.admin, 'flow_name=query-marker'],
    ['a request with a refused query', 400, 'PUT', `/flows/${org}`, keys.admin, QUERY],
    ['a request that a role may not make', 403, 'PUT', `/flows/${org}`, keys.reader, QUERY],
    ['a request with an unknown key', 401, 'PUT', `/flows/${org}`, `dek_${'k'.repeat(43)}`, QUERY],
    ['a request for an unknown path', 404, 'PUT', '/nothing', keys.admin, QUERY],
  ])('has neither key, body, query nor headers of %s', async (_, status, method, path, key, query) => {
    const lines = await linesOf(method, path, key, query);
    expect(lines).toContain(`"status":${status}`);
    expect(lines).not.toMatch(/marker/);
    expect(lines).not.toContain(key);
  });

  it('names the id of the key', async () => {
    const answer = await api.call('GET', '/user', { key: keys.admin });
    expect(api.entries.at(-1)).toMatchObject({ key_id: expect.stringMatching(UUID) });
    expect(answer.status).toBe(200);
  });
});

describe('a key that an answer showed', () => {
  it('is neither in the log, nor in the table, nor in the audit log: they have its id or its SHA-256', async () => {
    const before = api.entries.length;
    const send = (path: string, json: object) => api.call('POST', path, { key: keys.admin, json });
    await send(`/service-accounts/${org}`, { name: 'ci', privilege: 'member' });
    const issued = await send(`/service-accounts/${org}/ci/api-keys`, { description: 'build' });
    const rotated = await send(`/service-accounts/${org}/ci/api-keys/${(issued.json as { id: string }).id}/rotate`, {});
    const secrets = [issued, rotated].map(({ text }) => /dek_[\w-]{43}/.exec(text)?.[0] ?? 'no key');
    const { text: audit } = await api.call('GET', `/audit/${org}`, { key: keys.admin });
    expect(audit).toContain('api_key.rotated');
    const items = JSON.stringify(await scanTable(databaseAddress(), api.services.table.name));
    const lines = JSON.stringify(api.entries.slice(before));
    for (const secret of secrets) {
      expect(secret).toMatch(SECRET);
      expect(items).toContain(hashKey(secret));
      for (const place of [items, lines, audit]) expect(place).not.toContain(secret);
    }
  });
});
