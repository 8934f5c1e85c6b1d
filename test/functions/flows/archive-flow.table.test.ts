import { describe, expect, it } from 'vitest';
import { storedKey } from '#shared/table/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { flowsApi, flowUnknown, HOSTILE_NAMES, newOrganization, refusal } from './flows-api.ts';

const api = await flowsApi();
const empty = await newOrganization(api);

describe('PUT /flows/{org}/{flow}/archive', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (org) => `/flows/${org}/web/archive`,
    request: { text: 'null' },
    needs: 'member',
  });

  it.each([
    ['null', 'null'],
    ['nothing', undefined],
    ['an object', '{}'],
  ])('accepts %s as a body; the old name is then unknown', async (_, text) => {
    const acme = await newOrganization(api);
    await acme.put({ name: 'web' });
    const answer = await acme.call('PUT', `/flows/${acme.org}/web/archive`, text === undefined ? {} : { text });
    expect(refusal(answer)).toEqual([200, 'OK']);
    expect(refusal(await acme.get('web'))).toEqual(flowUnknown('web', acme.org));
    expect(await acme.names()).toEqual([]);
  });

  it('keeps the record readable under the long name', async () => {
    const acme = await newOrganization(api);
    await acme.putForm({ name: 'web', description: 'd' }, 'version: 1');
    const { id } = await acme.read('web');
    const long = await acme.archivedAs('web');
    expect(await acme.read(long)).toMatchObject({
      id,
      name: long,
      description: 'd',
      template: 'version: 1',
      archived: true,
    });
  });

  it('answers 404 for a flow that is already archived, by its old name and by its long name', async () => {
    const acme = await newOrganization(api);
    await acme.put({ name: 'web' });
    const long = await acme.archivedAs('web');
    expect(refusal(await acme.archive('web'))).toEqual(flowUnknown('web', acme.org));
    expect(refusal(await acme.archive(long))).toEqual(flowUnknown(long, acme.org));
  });

  it('also frees the former names', async () => {
    const acme = await newOrganization(api);
    await acme.put({ name: 'a' });
    await acme.rename('a', 'b');
    await acme.archive('a');
    expect((await acme.get('a')).status).toBe(404);
    expect((await acme.get('b')).status).toBe(404);
    expect((await acme.put({ name: 'a' })).status).toBe(201);
    expect((await acme.put({ name: 'b' })).status).toBe(201);
  });

  it('gives different long names to two flows of one name that are archived within a second', async () => {
    const acme = await newOrganization(api);
    const ids = [];
    for (let i = 0; i < 3; i += 1) {
      expect((await acme.put({ name: 'web', description: String(i) })).status).toBe(201);
      ids.push((await acme.read('web'))['id']);
      expect((await acme.archive('web')).status).toBe(200);
    }
    const { table } = api.services;
    const organization = await table.get(storedKey(`@ORG#${acme.org}`, 'ORG'));
    const heads = await Promise.all(
      ids.map((id) => table.get(storedKey(`${organization?.['id']}#FLOW#${id}`, 'HEAD'))),
    );
    const names = heads.map((head) => String(head?.['name']));
    expect(new Set(names).size).toBe(3);
    const found = await Promise.all(names.map((name) => acme.read(name)));
    expect(found.map(({ description }) => description)).toEqual(['0', '1', '2']);
  });

  it('archives once if two requests run at the same time', async () => {
    const acme = await newOrganization(api);
    await acme.put({ name: 'web' });
    const answers = await Promise.all([acme.archive('web'), acme.archive('web')]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404]);
  });

  it('leaves one flow if an archive and an update run at the same time', async () => {
    const acme = await newOrganization(api);
    await acme.put({ name: 'web', description: 'first' });
    const [archived, changed] = await Promise.all([
      acme.archive('web'),
      acme.put({ name: 'web', description: 'second' }),
    ]);
    expect(archived.status).toBe(200);
    expect([200, 201]).toContain(changed.status);
    expect(await acme.names()).toEqual(changed.status === 201 ? ['web'] : []);
  });

  it('repeats the first answer for the same Idempotency-Key', async () => {
    const acme = await newOrganization(api);
    await acme.put({ name: 'web' });
    const headers = { 'idempotency-key': 'archive-once' };
    expect((await acme.archive('web', { headers })).status).toBe(200);
    await acme.put({ name: 'web' });
    expect((await acme.archive('web', { headers })).status).toBe(200);
    expect(await acme.names()).toEqual(['web']);
  });

  it.each([...HOSTILE_NAMES.filter((name) => name !== '' && !name.includes('/')), 'nope', 'n'.repeat(10_000)])(
    'answers 404 for the name %j',
    async (name) => {
      expect(refusal(await empty.archive(name))).toEqual(flowUnknown(name, empty.org));
    },
  );
});
