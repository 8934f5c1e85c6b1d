import { describe, expect, it } from 'vitest';
import {
  anArtifact,
  evidenceApi,
  fingerprintOf,
  invalidFields,
  newOrganization,
  refusal,
} from '#test/support/evidence.ts';

const api = await evidenceApi();
const CLI = fingerprintOf('cli');

interface FoundPage {
  data: { attestation_id: string; attestation_name: string; created_at: number }[];
  next_cursor: string | null;
  pagination?: { total: number };
}

/** Six attestations, the newest last: `unit` (true, false), `scan` (true, by a member), `unit` in another flow, two gates. */
async function filled() {
  const acme = await newOrganization(api);
  await acme.report(anArtifact('cli'), { trail: 'run' });
  await acme.attest('generic', { attestation_name: 'unit', artifact_fingerprint: CLI });
  await acme.attest('generic', { attestation_name: 'unit', is_compliant: false });
  await acme.attest('generic', { attestation_name: 'scan' }, { request: { key: acme.keys.member } });
  await acme.attest('generic', { attestation_name: 'unit' }, { flow: 'api' });
  for (const control of ['SC-1', 'SC-2']) {
    const decision = { attestation_name: 'gate', type_name: 'decision', control };
    await acme.attest('system', { ...decision, attestation_data: { is_compliant: control === 'SC-1' } });
  }
  const page = async (query: string) => (await acme.get(`/attestations/${acme.org}`, query)).json as FoundPage;
  const names = async (query: string) => (await page(query)).data.map(({ attestation_name: name }) => name);
  return { acme, page, names };
}

describe('GET /attestations/{org} by result, name, author, control and time', () => {
  it('combines all filters, newest first', async () => {
    const { acme, names, page } = await filled();
    const expected: [string, string[]][] = [
      ['is_compliant=false', ['gate', 'unit']],
      ['is_compliant=False&attestation_type=generic', ['unit']],
      ['attestation_name=unit', ['unit', 'unit', 'unit']],
      ['attestation_name=unit&flow=web', ['unit', 'unit']],
      ['attestation_name=unit&is_compliant=true&flow=web', ['unit']],
      ['attestation_name=uni', []],
      [`created_by=${acme.org}-member`, ['scan']],
      ['created_by=nobody', []],
      ['control=SC-1', ['gate']],
      ['control=SC-2&is_compliant=true', []],
      ['control=SC-1&attestation_type=generic', []],
      ['attestation_name=unit&flow=web&trail=run', ['unit', 'unit']],
      [`attestation_name=unit&fingerprint=${CLI}`, ['unit']],
      [`is_compliant=false&fingerprint=${CLI}`, []],
      ['attestation_name=unit&fingerprint=abc', []],
    ];
    for (const [query, wanted] of expected) expect([query, await names(query)]).toEqual([query, wanted]);
    const [gate] = (await page('control=SC-1')).data;
    expect(gate).toMatchObject({ control: 'SC-1', is_compliant: true });
    expect(await names(`attestation_id=${gate?.attestation_id}&is_compliant=true`)).toEqual(['gate']);
    expect(await names(`attestation_id=${gate?.attestation_id}&is_compliant=false`)).toEqual([]);
    expect((await acme.get(`/attestations/${acme.org}`, 'flow=none&is_compliant=true')).status).toBe(404);
  });

  it.each(['', '&flow=web&trail=run'])('continues with a cursor until the last page%s', async (place) => {
    const { acme, page } = await filled();
    const query = `is_compliant=true&per_page=2${place}`;
    const found: string[] = [];
    let cursor: string | null | undefined;
    for (let pages = 0; cursor !== null && pages < 10; pages += 1) {
      const read: FoundPage = await page(cursor ? `${query}&cursor=${cursor}` : query);
      expect(read).not.toHaveProperty('pagination');
      found.push(...read.data.map(({ attestation_name: name }) => name));
      cursor = read.next_cursor;
    }
    expect(found).toEqual(place === '' ? ['gate', 'unit', 'scan', 'unit'] : ['gate', 'scan', 'unit']);
    const { next_cursor: other } = await page(query);
    const answer = await acme.get(`/attestations/${acme.org}`, `is_compliant=false&cursor=${other}`);
    expect(refusal(answer)).toEqual(
      invalidFields({ 'query.cursor': `Input should be the next_cursor of a page [input: ${other}]` }),
    );
  });

  it('cuts the list to a window of times, both ends included, with totals', async () => {
    const { page } = await filled();
    const all = (await page('')).data.map(({ created_at: at }) => at);
    const window = `start_ts=${all[4]}&end_ts=${all[1]}`;
    const times = async (query: string) => (await page(query)).data.map(({ created_at: at }) => at);
    expect(await times(window)).toEqual(all.slice(1, 5));
    expect((await page(`${window}&per_page=1`)).pagination).toMatchObject({ total: 4 });
    expect(await times(`${window}&flow=web&trail=run`)).toEqual([all[1], all[3], all[4]]);
    expect(await times(`${window}&is_compliant=false`)).toEqual([all[4]]);
    expect(await times(`end_ts=${(all[5] ?? 0) - 1}`)).toEqual([]);
  });

  it.each(['is_compliant=true&flow=web', 'control=SC-1'])('takes at most five sequential calls: %s', async (query) => {
    const { page } = await filled();
    await page(query);
    expect((api.entries.at(-1) as unknown as Record<string, number>)['aws_sequential']).toBeLessThanOrEqual(5);
  });

  it('refuses wrong parameters, field by field', async () => {
    const { acme } = await filled();
    const ask = async (query: string) => refusal(await acme.get(`/attestations/${acme.org}`, query));
    expect(await ask('is_compliant=maybe&start_ts=x&end_ts=y')).toEqual(
      invalidFields({
        'query.is_compliant': expect.stringContaining('valid boolean'),
        'query.start_ts': expect.stringContaining('valid number'),
        'query.end_ts': expect.stringContaining('valid number'),
      }),
    );
    expect(await ask('is_compliant=true&page=2&start_ts=2&end_ts=1')).toEqual(
      invalidFields({
        'query.page': 'Pages by name, result, author, control or grade have no numbers. Use cursor [input: 2]',
        'query.start_ts': 'Input should be less than or equal to end_ts [input: 2]',
      }),
    );
    expect(await ask('cursor=abc')).toEqual(
      invalidFields({
        'query.cursor': 'Only pages by name, result, author, control or grade have cursors. Use page [input: abc]',
      }),
    );
  });
});
