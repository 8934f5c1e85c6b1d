import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import { HOSTILE_NAMES, jq, newOrganization, refusal, typesApi, typeUnknown } from './types-api.ts';

const api = await typesApi();
const empty = await newOrganization(api);

describe('PUT /custom-attestation-types/{org}/{name}/archive', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (org) => `/custom-attestation-types/${org}/coverage/archive`,
    request: { text: 'null' },
    needs: 'member',
  });

  it.each([
    ['null', 'null'],
    ['nothing', undefined],
    ['an object', '{}'],
  ])('accepts %s as a body, and keeps the record readable', async (_, text) => {
    const acme = await newOrganization(api);
    await acme.post({ name: 't', evaluator: jq('.a') });
    const before = await acme.read('t');
    const path = `/custom-attestation-types/${acme.org}/t/archive`;
    expect(refusal(await acme.call('PUT', path, text === undefined ? {} : { text }))).toEqual([200, 'OK']);
    const after = await acme.read('t');
    expect(after).toEqual({ ...before, archived: true, last_modified_at: after.last_modified_at });
    expect((await acme.get('t', 'version=1')).json).toMatchObject({ archived: true, versions: before.versions });
  });

  it('changes nothing for a type that is already archived', async () => {
    const acme = await newOrganization(api);
    await acme.post({ name: 't' });
    await acme.archive('t');
    const before = await acme.read('t');
    expect(refusal(await acme.archive('t'))).toEqual([200, 'OK']);
    expect(await acme.read('t')).toEqual(before);
  });

  it('keeps both changes if a version is added at the same time', async () => {
    const acme = await newOrganization(api);
    await acme.post({ name: 't' });
    const answers = await Promise.all([acme.archive('t'), acme.post({ name: 't', evaluator: jq('.a') })]);
    expect(answers.map(({ status }) => status)).toEqual([200, 201]);
    const { archived, versions } = await acme.read('t');
    expect([archived, versions.length]).toEqual([true, 2]);
  });

  it('repeats the first answer for the same Idempotency-Key', async () => {
    const acme = await newOrganization(api);
    await acme.post({ name: 't' });
    const headers = { 'idempotency-key': 'archive-once' };
    expect((await acme.archive('t', { headers })).status).toBe(200);
    expect((await acme.archive('t', { headers })).status).toBe(200);
    expect((await acme.archive('t', { headers, query: 'other=1' })).status).toBe(400);
  });

  it.each([...HOSTILE_NAMES, 'nope', 'n'.repeat(10_000)])('answers 404 for the name %j', async (name) => {
    expect(refusal(await empty.archive(name))).toEqual(typeUnknown(name, empty.org));
  });
});
