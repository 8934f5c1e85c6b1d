import { describe, expect, it } from 'vitest';
import {
  aCommit,
  anArtifact,
  evidenceApi,
  fingerprintOf,
  newOrganization,
  OK,
  refusal,
  shaOf,
} from '#test/support/evidence.ts';

const api = await evidenceApi();

/** A JSON text that changes if a parser reads it and writes it again. */
const TRICKY =
  '{"10":1,"2":[1.0,1e400,12345678901234567890,-0,1E+2],"é":"\\u00e9\\/","a":null,"a":{"__proto__":{"x":[]}},"":" b "}';
const spaced = (text: string) => text.replaceAll(':', ' :\n ').replaceAll(',', ' ,\t');
/** About a megabyte that does not compress well. */
const large = (seed: string) =>
  `{"n":1.50,"rows":[${Array.from({ length: 14_000 }, (_, i) => `"${fingerprintOf(`${seed}${i}`)}-${i}"`).join(',')}]}`;
/** The text of an answer from the value of the member on. */
const member = (text: string, name: string) => text.slice(text.indexOf(`"${name}":`) + name.length + 3);

const attest = async (fields: string, kind = 'generic') => {
  const acme = await newOrganization(api);
  const form = { fields: { data_json: `{"attestation_name":"check"${fields}}` } };
  const answer = await acme.call('POST', `/attestations/${acme.org}/web/trail/run/${kind}`, { form });
  return { acme, answer, read: async () => (await acme.get(`/attestations/${acme.org}/web/trail/run/check`)).text };
};

describe('a body', () => {
  it.each([
    ['small and tricky', TRICKY],
    ['a megabyte', large('a')],
    ['a number', '1.0'],
    ['a text', '"x"'],
    ['a list', '[1.0]'],
  ])('%s is read back byte for byte as user_data and attestation_data', async (_, text) => {
    const fields = `,"type_name":"decision","control":"C","attestation_data":{"is_compliant":true,"more":${text}}`;
    const { answer, read } = await attest(`${fields},"user_data":${text}`, 'system');
    expect(refusal(answer)).toEqual(OK);
    const found = await read();
    expect(member(found, 'user_data').startsWith(text)).toBe(true);
    expect(member(found, 'attestation_data').startsWith(`{"is_compliant":true,"more":${text}}`)).toBe(true);
  });

  it('loses only the white space between its tokens', async () => {
    const { read } = await attest(`,"user_data": ${spaced(TRICKY)} `);
    expect(member(await read(), 'user_data').startsWith(TRICKY)).toBe(true);
  });

  it('a body of a custom type is read back byte for byte, even a megabyte', async () => {
    const acme = await newOrganization(api);
    await acme.call('POST', `/custom-attestation-types/${acme.org}`, {
      form: {
        fields: { data_json: '{"name":"rows","evaluator":{"content_type":"jq","rules":[".rows | length > 10"]}}' },
      },
    });
    const text = large('custom');
    const json = `{"attestation_name":"check","type_name":"rows","attestation_data":${text}}`;
    const answer = await acme.call('POST', `/attestations/${acme.org}/web/trail/run/custom`, { text: json });
    expect(refusal(answer)).toEqual(OK);
    const found = (await acme.get(`/attestations/${acme.org}`)).text;
    expect(member(found, 'attestation_data').startsWith(text)).toBe(true);
    expect(found).toContain('"is_compliant":true');
  });

  it('a body of a trail is read back byte for byte, each version in its event', async () => {
    const acme = await newOrganization(api);
    const begin = (data: string) =>
      acme.call('PUT', `/trails/${acme.org}/web`, {
        form: { fields: { data_json: `{"name":"run","user_data":${data}}` } },
      });
    expect((await begin(spaced(TRICKY))).status).toBe(201);
    expect((await begin(TRICKY)).status).toBe(200);
    expect((await acme.trail()).events).toHaveLength(1);
    const text = large('trail');
    expect((await begin(text)).status).toBe(200);
    const found = (await acme.get(`/trails/${acme.org}/web/run`)).text;
    expect(member(found, 'user_data').startsWith(text)).toBe(true);
    const { events } = JSON.parse(found) as { events: { trail_data_json: { user_data: string } }[] };
    expect(events.map(({ trail_data_json: data }) => data.user_data)).toEqual([TRICKY, text]);
  });

  it('a body of an artifact is read back byte for byte', async () => {
    const acme = await newOrganization(api);
    const report = JSON.stringify(anArtifact('cli')).replace(/\}$/, `,"user_data":${TRICKY}}`);
    expect((await acme.call('POST', `/artifacts/${acme.org}/web`, { text: report })).status).toBe(201);
    const found = await acme.get(`/artifacts/${acme.org}/web/fingerprint/${fingerprintOf('cli')}`);
    expect(member(found.text, 'user_data').startsWith(TRICKY)).toBe(true);
  });

  it('a body above four kilobytes is stored in the bucket, with an item for its use', async () => {
    const { acme } = await attest(`,"user_data":${large('bucket')}`);
    const items = await acme.stored();
    expect(Math.max(...items.map((item) => item.length))).toBeLessThan(8_000);
    expect(items.filter((item) => item.includes('#BODY#') && item.includes('USE#attestation:'))).toHaveLength(1);
  });

  it('can be large in every field without reaching a limit of the table', async () => {
    const acme = await newOrganization(api);
    const long = Array.from({ length: 5000 }, (_, i) => fingerprintOf(`${i}`)).join('');
    const commit = aCommit('c', { message: long, parents: [shaOf('b')] });
    const links = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [`l${i}`, `https://ci.example/${long.slice(i, i + 1000)}`]),
    );
    const origin = `https://ci.example/${long}`;
    const fields = { description: long, origin_url: origin, git_commit_info: commit, external_urls: links };
    expect((await acme.begin(fields)).status).toBe(201);
    expect(
      refusal(
        await acme.report(anArtifact('cli', { git_commit_info: commit, annotations: { a: long }, description: long })),
      ),
    ).toEqual(OK);
    expect(
      refusal(await acme.attest('generic', { attestation_name: 'a', ...fields, annotations: { a: long } })),
    ).toEqual(OK);
    expect(await acme.named('a')).toMatchObject([{ description: long, git_commit_info: commit }]);
    const trail = await acme.trail();
    expect(trail['git_commit_info']).toEqual(commit);
    expect(trail.events.map((event) => (event['git_commit_info'] as { message: string }).message)).toEqual([
      long,
      long,
      long,
    ]);
    expect(Math.max(...(await acme.stored()).map((item) => item.length))).toBeLessThan(12_000);
  });

  it.each(['name', 'id', 'provider', 'url'])(
    'refuses a repository whose %s is too long for a key or a list',
    async (field) => {
      const repo = { id: '1', name: 'n', url: 'u', provider: 'p', [field]: 'é'.repeat(300_000) };
      const { answer } = await attest(`,"repo_info":${JSON.stringify(repo)}`);
      expect(answer).toMatchObject({ status: 400, json: { errors: { [`repo_info.${field}`]: expect.any(String) } } });
      expect(answer.text.length).toBeLessThan(2000);
    },
  );

  it('keeps large facts of a repository that no list shows', async () => {
    const repo = {
      id: '1',
      name: 'n',
      url: 'u',
      description: 'd'.repeat(500_000),
      additional_info: { x: 'y'.repeat(500_000) },
    };
    const { answer, acme } = await attest(`,"repo_info":${JSON.stringify(repo)}`);
    expect(refusal(answer)).toEqual(OK);
    expect(await acme.named('check')).toMatchObject([{ repo_info: repo }]);
  });
});
