import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import { HOSTILE_NAMES, jq, newOrganization, refusal, typesApi, typeUnknown } from './types-api.ts';

const api = await typesApi();
const empty = await newOrganization(api);
const acme = await newOrganization(api);
await acme.post({ name: 'described', description: 'd', evaluator: jq('.a') }, '{"type":"object"}');
await acme.post({ name: 'plain' });
await acme.post({ name: 'plain', evaluator: jq('.b'), summary: [{ name: 'b', expression: '.b' }] });

const author = `${acme.org}-admin`;
const time = expect.any(Number);
const first = {
  version: 1,
  timestamp: time,
  created_by: author,
  type_schema: null,
  evaluator: { content_type: 'default' },
  summary: null,
};
const second = {
  version: 2,
  timestamp: time,
  created_by: author,
  type_schema: null,
  evaluator: jq('.b'),
  summary: [{ name: 'b', expression: '.b' }],
};

describe('GET /custom-attestation-types/{org}/{name}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/custom-attestation-types/${org}/coverage`, needs: 'reader' });

  it('answers the whole record, with the newest version first', async () => {
    expect((await acme.get('described')).json).toStrictEqual({
      name: 'described',
      description: 'd',
      org: acme.org,
      archived: false,
      created_by: author,
      created_at: time,
      last_modified_at: time,
      versions: [{ ...first, type_schema: { type: 'object' }, evaluator: jq('.a') }],
    });
  });

  it('omits a description that was never given', async () => {
    expect((await acme.get('plain')).json).toStrictEqual({
      name: 'plain',
      org: acme.org,
      archived: false,
      created_by: author,
      created_at: time,
      last_modified_at: time,
      versions: [second, first],
    });
  });

  it.each([
    ['version=1', first],
    ['version=2', second],
    ['version=02', second],
    ['version=1&version=2', second],
  ])('answers one version for ?%s, without description, creator and times', async (query, version) => {
    expect((await acme.get('plain', query)).json).toStrictEqual({
      name: 'plain',
      org: acme.org,
      archived: false,
      versions: [version],
    });
  });

  it('omits the description of a described type if the query names a version', async () => {
    expect((await acme.get('described', 'version=1')).json).not.toHaveProperty('description');
  });

  it.each(['0', '3', '-1', '99999999999999999999', '9'.repeat(400)])(
    'answers 404 for the version %s',
    async (number) => {
      expect(refusal(await acme.get('plain', `version=${number}`))).toEqual([
        404,
        { message: `version ${number} does not exist for custom attestation type 'plain'` },
      ]);
    },
  );

  it.each(['', 'latest', '1.5', '1e0', 'null', '١'])('answers the whole record for the version %j', async (text) => {
    const { json } = await acme.get('plain', `version=${encodeURIComponent(text)}`);
    expect(json).toEqual((await acme.get('plain')).json);
  });

  it.each([...HOSTILE_NAMES, 'nope', 'Plain', 'n'.repeat(10_000)])('answers 404 for the name %j', async (name) => {
    expect(refusal(await empty.get(name))).toEqual(typeUnknown(name, empty.org));
    expect(refusal(await empty.get(name, 'version=1'))).toEqual(typeUnknown(name, empty.org));
  });

  it('does not show types of another organization', async () => {
    expect(refusal(await empty.get('plain'))).toEqual(typeUnknown('plain', empty.org));
  });
});
