import { describe, expect, it, vi } from 'vitest';
import { storedFingerprint } from '#shared/base/ids.ts';
import { allowedKey } from '#shared/environments/records/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { environmentsApi, environmentsOfOrganization } from '#test/support/environments.ts';
import { fingerprintOf, invalidFields, isTime, refusal } from '#test/support/evidence.ts';

const api = await environmentsApi();

interface Page {
  entries: { artifact_fingerprint: string; artifact_name: string; description: string; unreadable?: true }[];
  next_cursor: string | null;
}

async function withEntries(...names: string[]) {
  const acme = await environmentsOfOrganization(api);
  await acme.putEnvironment('prod');
  for (const name of names) await acme.allow('prod', name);
  const ask = (query = '', env = 'prod') => acme.get(`/allowlists/${acme.org}/${env}`, query);
  const page = async (query = '') => (await ask(query)).json as Page;
  return { acme, ask, page };
}

describe('GET /allowlists/{org}/{env_name}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/allowlists/${org}/prod`, needs: 'reader' });

  it('shows the entry in force of each fingerprint, with its reason and its author', async () => {
    const { acme, page } = await withEntries('web');
    await acme.allow('prod', 'web', { description: 'vendor image', artifact_name: 'web:2' });
    const entry = {
      artifact_fingerprint: fingerprintOf('web'),
      artifact_name: 'web:2',
      description: 'vendor image',
      created_at: expect.toSatisfy(isTime),
      created_by: `${acme.org}-admin`,
    };
    expect(await page()).toEqual({ entries: [entry], next_cursor: null });
    expect(await page(`fingerprint=${fingerprintOf('web')}`)).toEqual({ entries: [entry], next_cursor: null });
    expect(await page(`fingerprint=${fingerprintOf('none')}`)).toEqual({ entries: [], next_cursor: null });
  });

  it('has pages by fingerprint, also if fingerprints have many earlier entries', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const { acme, ask, page } = await withEntries(...names);
    for (const reason of ['1', '2', '3', '4', '5', '6']) await acme.allow('prod', 'c', { description: reason });
    const found: string[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null && pages < 20; pages += 1) {
      const read: Page = await page(`per_page=2${cursor && `&cursor=${cursor}`}`);
      expect(read.entries.length).toBeLessThanOrEqual(2);
      found.push(...read.entries.map(({ artifact_fingerprint: fingerprint }) => fingerprint));
      cursor = read.next_cursor;
    }
    expect([found, cursor]).toEqual([names.map(fingerprintOf).toSorted(), null]);
    expect((await ask('per_page=2')).headers['link']).toContain('rel="next"');
  });

  it('shows an entry that cannot be read without its facts', async () => {
    const { acme, page } = await withEntries('web');
    const { id } = await acme.head('prod');
    const key = allowedKey(acme.id, id, storedFingerprint(fingerprintOf('bad')));
    await api.services.table.put({ ...key, v: 1, name: 5 });
    const log = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const { entries } = await page();
    log.mockRestore();
    const bad = entries.find(({ artifact_fingerprint: fingerprint }) => fingerprint === fingerprintOf('bad'));
    expect([entries.length, bad]).toMatchObject([2, { artifact_name: '', unreadable: true }]);
  });

  it('refuses wrong parameters, field by field, and unknown or archived environments', async () => {
    const { acme, ask } = await withEntries();
    expect(refusal(await ask('fingerprint=abc&per_page=101'))).toEqual(
      invalidFields({
        'query.fingerprint': expect.stringContaining('[input: abc]'),
        'query.per_page': 'Input should be less than or equal to 100 [input: 101]',
      }),
    );
    expect(refusal(await ask('cursor=abc'))).toEqual(
      invalidFields({ 'query.cursor': 'Input should be the next_cursor of a page [input: abc]' }),
    );
    await acme.putEnvironment('old');
    await acme.call('PUT', `/environments/${acme.org}/old/archive`, { text: 'null' });
    for (const env of ['nowhere', 'old']) expect((await ask('', env)).status).toBe(404);
  });
});
