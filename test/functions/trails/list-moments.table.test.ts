import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import { anArtifact, evidenceApi, invalidFields, isTime, newOrganization, refusal } from '#test/support/evidence.ts';

const api = await evidenceApi();
const UNKNOWN = [404, { message: 'Flow, trail or moment series not found' }];

interface Moments {
  moments: { moment_number: number; created_at: number }[];
  _links: Record<string, { href: string }>;
}

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
      moments: [1, 2, 3, 4].map((number) => ({ moment_number: number, created_at: expect.toSatisfy(isTime) })),
      _links: { self: url(1), first: url(1), last: url(1) },
    });
    const times = (json as Moments).moments.map(({ created_at: at }) => at);
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    expect((await acme.trail()).events.map(({ timestamp }) => timestamp)).toEqual(times);
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
    const acme = await newOrganization(api);
    await acme.begin({});
    expect(refusal(await acme.get(`/trails/${acme.org}/web/run/moments`, query))).toEqual(invalidFields(errors));
  });

  it.each([
    ['flow', 'none', 'run'],
    ['trail', 'web', 'none'],
    ['trail by a name that none has', 'web', 'a b'],
    ['flow by a name that none has', '..', 'run'],
  ])('says that there is no such series for an unknown %s', async (_, flow, trail) => {
    const acme = await newOrganization(api);
    await acme.begin({});
    expect(refusal(await acme.get(`/trails/${acme.org}/${flow}/${trail}/moments`))).toEqual(UNKNOWN);
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
