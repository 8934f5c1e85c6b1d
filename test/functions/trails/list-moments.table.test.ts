import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import {
  aCommit,
  anArtifact,
  evidenceApi,
  fingerprintOf,
  ID,
  invalidFields,
  isTime,
  newOrganization,
  refusal,
} from '#test/support/evidence.ts';

const api = await evidenceApi();
const UNKNOWN = [404, { message: 'Flow, trail or moment series not found' }];

interface Moments {
  moments: { moment_number: number; created_at: number }[];
  _links: Record<string, { href: string }>;
}

/** One organization for requests that are refused: none of them changes a record. */
const refusing = await newOrganization(api);
await refusing.begin({});

describe('GET /trails/{org}/{flow_name}/{trail_name}/moments', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/trails/${org}/web/run/moments`, needs: 'reader' });

  it('numbers every write that changed the trail, from 1', async () => {
    const acme = await newOrganization(api);
    await acme.attest('generic', { attestation_name: 'a' });
    await acme.begin({});
    await acme.report(anArtifact('cli'));
    await acme.begin({ description: 'later' });
    const path = `/trails/${acme.org}/web/run/moments`;
    const { json } = await acme.get(path);
    const url = (page: number) => ({ href: `https://api.example/api/v2${path}?page=${page}&per_page=20` });
    expect(json).toEqual({
      page: 1,
      per_page: 20,
      total_pages: 1,
      total_count: 4,
      moments: [1, 2, 3, 4].map((number) =>
        expect.objectContaining({ moment_number: number, created_at: expect.toSatisfy(isTime) }),
      ),
      _links: { self: url(1), first: url(1), last: url(1) },
    });
    const times = (json as Moments).moments.map(({ created_at: at }) => at);
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    expect((await acme.trail()).events.map(({ timestamp }) => timestamp)).toEqual(times);
  });

  it('says what each moment is about, who made it, the state after it, and its link in the chain', async () => {
    const acme = await newOrganization(api);
    await acme.begin({}, { template: 'version: 1\ntrail:\n  attestations: [{name: a, type: generic}]\n' });
    await acme.report(anArtifact('cli'), { trail: 'run' });
    const fingerprint = fingerprintOf('cli');
    await acme.attest('generic', { attestation_name: 'unit', artifact_fingerprint: fingerprint });
    await acme.attest('generic', { attestation_name: 'a', is_compliant: false });
    await acme.attest('generic', {
      attestation_name: 'sbom',
      target_artifacts: ['x', 'y'],
      git_commit_info: aCommit(),
    });
    await acme.begin({ description: 'later' });
    const { json } = await acme.get(`/trails/${acme.org}/web/run/moments`);
    const { moments } = json as { moments: Record<string, unknown>[] };
    const hash = expect.stringMatching(/^[a-f0-9]{64}$/);
    const common = { created_by: `${acme.org}-admin`, changes: [], artifact: null, attestation: null, hash };
    const about = { attestation_type: 'generic', artifact_fingerprint: null, target_artifacts: [], is_compliant: true };
    expect(moments).toMatchObject([
      { ...common, kind: 'trail_reported', compliance_state: 'INCOMPLETE', previous_hash: '0'.repeat(64) },
      {
        ...common,
        kind: 'artifact_creation_reported',
        artifact: { artifact_id: expect.stringMatching(ID), fingerprint, template_reference_name: 'cli' },
      },
      {
        ...common,
        kind: 'artifact_attestation_reported',
        attestation: { ...about, attestation_name: 'unit', artifact_fingerprint: fingerprint },
      },
      {
        ...common,
        kind: 'trail_attestation_reported',
        compliance_state: 'NON-COMPLIANT',
        attestation: { ...about, attestation_name: 'a', is_compliant: false },
      },
      {
        ...common,
        kind: 'trail_attestation_for_artifact_reported',
        attestation: { ...about, attestation_name: 'sbom', target_artifacts: ['x', 'y'] },
      },
      { ...common, kind: 'trail_updated', changes: ['description'] },
    ]);
    const hashes = moments.map((moment) => moment['hash']);
    expect(moments.slice(1).map((moment) => moment['previous_hash'])).toEqual(hashes.slice(0, -1));
  });

  it('accepts 1 to 100 moments per page, and answers an empty page after the last one', async () => {
    const acme = await newOrganization(api);
    for (const name of ['a', 'b', 'c', 'd']) await acme.attest('generic', { attestation_name: name });
    const page = async (query: string) => {
      const { json } = await acme.get(`/trails/${acme.org}/web/run/moments`, query);
      return json as Moments;
    };
    const numbers = async (query: string) => (await page(query)).moments.map(({ moment_number: number }) => number);
    expect(await numbers('page=1&per_page=2')).toEqual([1, 2]);
    expect(await numbers('page=3&per_page=2')).toEqual([5]);
    expect(await numbers('page=4&per_page=2')).toEqual([]);
    expect(await numbers('page=1000000000000&per_page=100')).toEqual([]);
    expect(await numbers('per_page=100')).toEqual([1, 2, 3, 4, 5]);
    expect(Object.keys((await page('page=2&per_page=2'))._links)).toEqual(['self', 'first', 'prev', 'next', 'last']);
  });

  it.each([
    ['page=0', { 'query.page': 'Input should be greater than or equal to 1 [input: 0]' }],
    [
      'page=NaN',
      { 'query.page': 'Input should be a valid integer, unable to parse string as an integer [input: NaN]' },
    ],
    ['page=1.5', { 'query.page': expect.stringContaining('Input should be a valid integer') }],
    ['per_page=0', { 'query.per_page': 'Input should be greater than or equal to 1 [input: 0]' }],
    ['per_page=101', { 'query.per_page': 'Input should be less than or equal to 100 [input: 101]' }],
    ['page=-1&per_page=x', { 'query.page': expect.anything(), 'query.per_page': expect.anything() }],
  ])('refuses %s', async (query, errors) => {
    expect(refusal(await refusing.get(`/trails/${refusing.org}/web/run/moments`, query))).toEqual(
      invalidFields(errors),
    );
  });

  it.each([
    ['flow', 'none', 'run'],
    ['trail', 'web', 'none'],
    ['trail by a name that none has', 'web', 'a b'],
    ['flow by a name that none has', '..', 'run'],
  ])('says that there is no such series for an unknown %s', async (_, flow, trail) => {
    expect(refusal(await refusing.get(`/trails/${refusing.org}/${flow}/${trail}/moments`))).toEqual(UNKNOWN);
  });

  it('answers 403 if the feature is off, before it looks anything up', async () => {
    const acme = await newOrganization(api, ['controls']);
    await acme.begin({});
    for (const path of ['web/run', 'none/none']) {
      const answer = await acme.get(`/trails/${acme.org}/${path}/moments`, 'page=0');
      expect(refusal(answer)).toEqual([403, { message: 'Forbidden' }]);
    }
  });
});

describe('GET /trails/{org}/{flow}/{trail}?moment=N', () => {
  it('shows the trail as it was after each moment, without later evidence', async () => {
    const acme = await newOrganization(api);
    await acme.begin(
      { description: 'first' },
      { template: 'version: 1\ntrail:\n  attestations: [{name: a, type: generic}]\n' },
    );
    await acme.attest('generic', { attestation_name: 'a' });
    await acme.attest('generic', { attestation_name: 'a', is_compliant: false });
    await acme.begin({ description: 'last' });
    const { json } = await acme.get(`/trails/${acme.org}/web/run/moments`);
    const { moments } = json as { moments: Record<string, unknown>[] };
    const past = async (number: number) => {
      const { json: trail } = await acme.get(`/trails/${acme.org}/web/run`, `moment=${number}`);
      const { compliance_state, description, events, last_modified_at } = trail as Record<string, unknown[]>;
      return { compliance_state, description, events: events?.length, last_modified_at };
    };
    for (const [i, [compliance_state, description]] of [
      ['INCOMPLETE', 'first'],
      ['COMPLIANT', 'first'],
      ['NON-COMPLIANT', 'first'],
      ['NON-COMPLIANT', 'last'],
    ].entries()) {
      const at = { last_modified_at: moments[i]?.['created_at'] };
      expect(await past(i + 1)).toEqual({ compliance_state, description, events: i + 1, ...at });
      expect(moments[i]?.['compliance_state']).toBe(compliance_state);
    }
    expect((await acme.get(`/trails/${acme.org}/web/run`, 'moment=4')).json).toEqual(await acme.trail());
  });

  it('answers 404 for a moment that the trail does not have, and refuses what is no number of a moment', async () => {
    const acme = await newOrganization(api);
    await acme.begin({});
    const ask = async (moment: string) => refusal(await acme.get(`/trails/${acme.org}/web/run`, `moment=${moment}`));
    expect(await ask('2')).toEqual([
      404,
      { message: `Trail 'run' of flow 'web' in organization '${acme.org}' has no moment 2` },
    ]);
    expect(await ask('0')).toEqual(
      invalidFields({ 'query.moment': 'Input should be greater than or equal to 1 [input: 0]' }),
    );
    expect(await ask('x')).toEqual(invalidFields({ 'query.moment': expect.stringContaining('valid integer') }));
  });
});
