import { describe, expect, it } from 'vitest';
import { flowTagKey } from '#shared/evidence/records/keys.ts';
import { EVIDENCE_FACETS } from '#shared/evidence/rules/series-kinds.ts';
import { settleSeries } from '#shared/series/facets.ts';
import { describeAccess } from '#test/support/access.ts';
import {
  aCommit,
  anArtifact,
  evidenceApi,
  fingerprintOf,
  invalidFields,
  isTime,
  newOrganization,
  refusal,
} from '#test/support/evidence.ts';
import { testId } from '#test/support/ids.ts';
import { entriesAt, fillSeries } from '#test/support/table/entries.ts';

const api = await evidenceApi();

interface TrailsPage {
  data: { name: string; flow_name: string }[];
  pagination: { total: number; page: number; per_page: number; page_count: number };
}

describe('GET /trails/{org}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/trails/${org}`, needs: 'reader' });

  const threeFlows = async () => {
    const acme = await newOrganization(api);
    for (const flow of ['web', 'api', 'web', 'app']) {
      const trail = `${flow}-${Math.floor(api.services.clock.now())}`;
      await acme.begin({ description: flow }, { flow, trail });
    }
    const list = async (query = '') => (await acme.get(`/trails/${acme.org}`, query)).json as TrailsPage;
    const flows = async (query = '') => (await list(query)).data.map(({ flow_name: flow }) => flow);
    return { acme, list, flows };
  };

  it('lists the newest trail first, each with its verdict', async () => {
    const acme = await newOrganization(api);
    await acme.begin({}, { trail: 'first' });
    await acme.begin({ description: 'd', git_commit_info: aCommit() }, { trail: 'second' });
    await acme.attest('generic', { attestation_name: 'a', is_compliant: false }, { trail: 'second' });
    const times = { created_at: expect.toSatisfy(isTime), last_modified_at: expect.toSatisfy(isTime) };
    const common = { ...times, created_by: `${acme.org}-admin`, flow_name: 'web' };
    const url = (trail: string) => `https://api.example/${acme.org}/flows/web/trails/${trail}`;
    expect((await acme.get(`/trails/${acme.org}`)).json).toEqual({
      data: [
        {
          ...common,
          name: 'second',
          description: 'd',
          compliance_state: 'NON-COMPLIANT',
          is_compliant: false,
          git_commit_info: aCommit(),
          html_url: url('second'),
        },
        {
          ...common,
          name: 'first',
          description: '',
          compliance_state: 'COMPLIANT',
          is_compliant: true,
          git_commit_info: null,
          html_url: url('first'),
        },
      ],
      pagination: { total: 2, page: 1, per_page: 20, page_count: 1 },
    });
  });

  it('answers pages, and an empty page after the last one', async () => {
    const { list, flows } = await threeFlows();
    expect(await flows('page=1&per_page=3')).toEqual(['app', 'web', 'api']);
    expect(await flows('page=2&per_page=3')).toEqual(['web']);
    expect(await list('page=1000000000000&per_page=3')).toEqual({
      data: [],
      pagination: { total: 4, page: 1_000_000_000_000, per_page: 3, page_count: 2 },
    });
  });

  it('filters by flow, by fingerprint and by both', async () => {
    const { acme, flows, list } = await threeFlows();
    await acme.report(anArtifact('cli'), { flow: 'web', trail: 'with' });
    await acme.report(anArtifact('cli'), { flow: 'web', trail: 'with' });
    await acme.report(anArtifact('cli'), { flow: 'api', trail: 'with' });
    expect(await flows('flow=web')).toEqual(['web', 'web', 'web']);
    expect(await flows(`fingerprint=${fingerprintOf('cli')}`)).toEqual(['api', 'web']);
    expect(await flows(`fingerprint=${fingerprintOf('cli').slice(0, 5)}`)).toEqual(['api', 'web']);
    expect(await flows(`fingerprint=${fingerprintOf('cli')}&flow=web`)).toEqual(['web']);
    expect((await list(`fingerprint=${fingerprintOf('cli')}&per_page=1`)).pagination.total).toBe(2);
    for (const unknown of [fingerprintOf('none'), 'abcd', 'zzzzzz', 'A'.repeat(64), 'a%23b%3Fc', 'f'.repeat(5000)]) {
      expect(await flows(`fingerprint=${unknown}`)).toEqual([]);
    }
  });

  it('filters by the tag of a flow, and finds nothing for an unknown tag', async () => {
    const { acme, flows } = await threeFlows();
    const tag = async (flow: string) => {
      const { json } = await acme.get(`/flows/${acme.org}/${flow}`);
      const id = String((json as { id: string }).id);
      await api.services.table.put({ ...flowTagKey(acme.id, 'team', 'payments', testId(id)), v: 1 });
    };
    await tag('web');
    await tag('app');
    expect(await flows('flow_tag=team=payments')).toEqual(['app', 'web', 'web']);
    expect(await flows('flow_tag=team=payments&per_page=1&page=2')).toEqual(['web']);
    expect(await flows('flow_tag=team=payments&flow=web')).toEqual(['web', 'web']);
    for (const unknown of ['team=other', 'team', '=x', `team=${'x'.repeat(9000)}`, `${'k'.repeat(300)}=x`]) {
      expect(await flows(`flow_tag=${unknown}`)).toEqual([]);
    }
  });

  it('refuses a tag that too many flows have', async () => {
    const acme = await newOrganization(api);
    const items = entriesAt(Array.from({ length: 21 }, () => api.services.clock.now()));
    await api.services.table.putMany(items.map(({ id }) => ({ ...flowTagKey(acme.id, 'a', 'b', testId(id)), v: 1 })));
    expect(refusal(await acme.get(`/trails/${acme.org}`, 'flow_tag=a=b'))).toEqual(
      invalidFields({ 'query.flow_tag': expect.stringContaining('more than 20') }),
    );
  });

  it('answers 404 for an unknown flow, and shows the present name of a renamed flow', async () => {
    const acme = await newOrganization(api);
    await acme.begin({});
    await acme.call('PUT', `/flows/${acme.org}/web/rename`, { json: { new_name: 'shop' } });
    const { json } = await acme.get(`/trails/${acme.org}`, 'flow=web');
    expect((json as TrailsPage).data).toMatchObject([{ name: 'run', flow_name: 'shop' }]);
    expect(refusal(await acme.get(`/trails/${acme.org}`, 'flow=none'))).toEqual([
      404,
      { message: `Flow named 'none' does not exist for organization '${acme.org}'` },
    ]);
  });

  it('refuses page numbers and page sizes that are out of range', async () => {
    const acme = await newOrganization(api);
    expect(refusal(await acme.get(`/trails/${acme.org}`, 'page=0&per_page=101'))).toEqual(
      invalidFields({
        'query.page': 'Input should be greater than or equal to 1 [input: 0]',
        'query.per_page': 'Input should be less than or equal to 100 [input: 101]',
      }),
    );
  });

  it('reads old pages by position once milestones exist', async () => {
    const acme = await newOrganization(api);
    await acme.begin({}, { trail: 'oldest' });
    const { json } = await acme.get(`/flows/${acme.org}/web`);
    const flow = String((json as { id: string }).id);
    const now = api.services.clock.now();
    const entries = entriesAt(
      Array.from({ length: 600 }, (_, i) => now + i * 1000),
      () => ({ f: flow, t: 'oldest' }),
    );
    await fillSeries(api.services.table, acme.id, 'trails', entries);
    api.services.clock.advance(300_000_000);
    const { appended } = await settleSeries(
      api.services.table,
      acme.id,
      EVIDENCE_FACETS,
      'trails',
      api.services.clock.now(),
      new Set(),
    );
    expect(appended).toBe(9);
    const page = async (number: number) =>
      (await acme.get(`/trails/${acme.org}`, `page=${number}&per_page=100`)).json as TrailsPage;
    expect((await page(7)).data).toHaveLength(1);
    expect((await page(1)).pagination).toMatchObject({ total: 601, page_count: 7 });
  });
});

describe('GET /trails/{org}/{flow}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/trails/${org}/web`, needs: 'reader' });

  it('lists the trails of one flow', async () => {
    const acme = await newOrganization(api);
    await acme.begin({}, { trail: 'a' });
    await acme.begin({}, { trail: 'b' });
    await acme.begin({}, { flow: 'api', trail: 'c' });
    const { json } = await acme.get(`/trails/${acme.org}/web`, 'per_page=1');
    expect(json).toMatchObject({ data: [{ name: 'b' }], pagination: { total: 2, page_count: 2 } });
    expect((await acme.get(`/trails/${acme.org}/none`)).status).toBe(404);
  });
});
