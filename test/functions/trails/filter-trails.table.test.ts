import { describe, expect, it } from 'vitest';
import {
  anArtifact,
  evidenceApi,
  fingerprintOf,
  invalidFields,
  newOrganization,
  refusal,
} from '#test/support/evidence.ts';
import { entriesAt, fillSeries } from '#test/support/table/entries.ts';

const api = await evidenceApi();

interface TrailsPage {
  data: { name: string; flow_name: string }[];
  pagination: { total: number; page: number; per_page: number; page_count: number };
}

describe('GET /trails/{org}/{flow} by state, name, time and order', () => {
  const TEMPLATE = `version: 1
trail:
  attestations:
    - name: review
      type: generic
  artifacts:
    - name: cli
      attestations:
        - name: unit
          type: generic
    - name: docs
`;
  interface FoundPage {
    data: (TrailsPage['data'][number] & { compliance_state: string; created_at: number; [field: string]: unknown })[];
    next_cursor: string | null;
  }
  /** Trails of the flow `web`: good-1, bad-1, open-1, good-2, bad-2, open-2, from the oldest to the newest. */
  const withStates = async () => {
    const acme = await newOrganization(api);
    for (const n of [1, 2]) {
      for (const [word, verdict] of Object.entries({ good: true, bad: false, open: undefined })) {
        const trail = `${word}-${n}`;
        await acme.begin(
          {},
          { trail, template: 'version: 1\ntrail:\n  attestations: [{name: review, type: generic}]\n' },
        );
        if (verdict === undefined) continue;
        await acme.attest('generic', { attestation_name: 'review', is_compliant: verdict }, { trail });
      }
    }
    const page = async (query: string) => (await acme.get(`/trails/${acme.org}/web`, query)).json as FoundPage;
    const names = async (query: string) => (await page(query)).data.map(({ name }) => name);
    return { acme, page, names };
  };

  it('filters by one state or several, and by a part of the name', async () => {
    const { acme, names } = await withStates();
    expect(await names('compliance_state=NON-COMPLIANT')).toEqual(['bad-2', 'bad-1']);
    expect(await names('compliance_state=NON-COMPLIANT&compliance_state=INCOMPLETE')).toEqual([
      ...['open-2', 'bad-2'],
      ...['open-1', 'bad-1'],
    ]);
    expect(await names('name=OOD')).toEqual(['good-2', 'good-1']);
    expect(await names('name=-2&compliance_state=COMPLIANT')).toEqual(['good-2']);
    expect(await names('name=none')).toEqual([]);
    const { json } = await acme.get(`/trails/${acme.org}`, 'compliance_state=COMPLIANT&flow=web');
    expect((json as FoundPage).data.map(({ name }) => name)).toEqual(['good-2', 'good-1']);
    expect((await acme.get(`/trails/${acme.org}/none`, 'name=a')).status).toBe(404);
  });

  it('continues with a cursor until the last page, in either order', async () => {
    const { acme, page } = await withStates();
    for (const order of ['desc', 'asc']) {
      const query = `name=-&sort_direction=${order}&per_page=4`;
      const first = await page(query);
      const second = await page(`${query}&cursor=${first.next_cursor}`);
      const all = [...first.data, ...second.data].map(({ name }) => name);
      const oldestFirst = ['good-1', 'bad-1', 'open-1', 'good-2', 'bad-2', 'open-2'];
      expect(all).toEqual(order === 'asc' ? oldestFirst : oldestFirst.toReversed());
      expect([first.data.length, second.next_cursor]).toEqual([4, null]);
    }
    const { next_cursor: cursor } = await page('name=-&per_page=4');
    const { headers } = await acme.get(`/trails/${acme.org}/web`, 'name=-&per_page=4');
    expect(headers['link']).toContain(`per_page=4&cursor=${cursor}>; rel="next"`);
    for (const other of ['name=a', 'name=-&sort_direction=asc', 'name=-&compliance_state=COMPLIANT']) {
      expect(refusal(await acme.get(`/trails/${acme.org}/web`, `${other}&cursor=${cursor}`))).toEqual(
        invalidFields({ 'query.cursor': `Input should be the next_cursor of a page [input: ${cursor}]` }),
      );
    }
  });

  it('looks at 200 trails for a page by state, in at most five sequential calls', async () => {
    const acme = await newOrganization(api);
    await acme.begin({}, { trail: 'only' });
    const { id } = (await acme.get(`/flows/${acme.org}/web`)).json as { id: string };
    const later = api.services.clock.now() + 1_000_000;
    const entries = entriesAt(
      Array.from({ length: 250 }, (_, i) => later + i * 1000),
      (i) => ({ f: id, t: `gone-${i}` }),
    );
    await fillSeries(api.services.table, acme.id, `trails:${id}`, entries);
    api.services.clock.advance(10_000_000);
    const page = async (query: string) =>
      (await acme.get(`/trails/${acme.org}/web`, `compliance_state=COMPLIANT${query}`)).json as FoundPage;
    const first = await page('');
    const { aws_sequential: trips } = api.entries.at(-1) as unknown as Record<string, number>;
    expect(first).toEqual({ data: [], next_cursor: expect.any(String) });
    expect(trips).toBeLessThanOrEqual(5);
    const last = await page(`&cursor=${first.next_cursor}`);
    expect(last).toMatchObject({ data: [{ name: 'only' }], next_cursor: null });
  });

  it('cuts the list to a window of times, with totals, and sorts by the creation of trails', async () => {
    const { page, names } = await withStates();
    const at = new Map((await page('name=-')).data.map(({ name, created_at: time }) => [name, time]));
    const window = `start_ts=${at.get('bad-1')}&end_ts=${at.get('bad-2')}`;
    expect(await names(window)).toEqual(['bad-2', 'good-2', 'open-1', 'bad-1']);
    expect(await page(`${window}&per_page=3&page=2`)).toMatchObject({
      data: [{ name: 'bad-1' }],
      pagination: { total: 4 },
    });
    expect(await names(`${window}&sort_direction=asc&per_page=3`)).toEqual(['bad-1', 'open-1', 'good-2']);
    expect(await names(`${window}&sort_direction=asc&per_page=3&page=2`)).toEqual(['bad-2']);
    expect(await names(`${window}&name=good`)).toEqual(['good-2']);
    expect(await names(`end_ts=${at.get('good-1')}`)).toEqual(['good-1']);
  });

  it('shows the slots of each trail with `include=slots`', async () => {
    const acme = await newOrganization(api);
    await acme.begin({}, { template: TEMPLATE });
    await acme.report(anArtifact('cli', { template_reference_name: 'cli' }), { trail: 'run' });
    await acme.attest('generic', { attestation_name: 'unit', artifact_fingerprint: fingerprintOf('cli') });
    await acme.attest('generic', { attestation_name: 'load', is_compliant: false });
    const { json } = await acme.get(`/trails/${acme.org}/web`, 'include=slots');
    const [row] = (json as FoundPage).data;
    const { attestation_id: unit } = (await acme.named('unit'))[0] ?? {};
    const missing = { attestation_id: null, status: 'MISSING', is_compliant: null, unexpected: false };
    const reported = { status: 'COMPLETE', attestation_type: 'generic' };
    expect(row).toMatchObject({
      compliance_state: 'NON-COMPLIANT',
      slots: [
        { ...missing, attestation_name: 'review', artifact_name: null },
        { ...reported, attestation_name: 'load', artifact_name: null, is_compliant: false, unexpected: true },
        { ...reported, attestation_name: 'unit', artifact_name: 'cli', is_compliant: true, attestation_id: unit },
      ],
      slot_count: 3,
      artifacts: [
        { artifact_name: 'cli', artifact_fingerprint: fingerprintOf('cli'), status: 'COMPLIANT' },
        { artifact_name: 'docs', artifact_fingerprint: null, status: 'MISSING', is_compliant: null },
      ],
      artifact_count: 2,
    });
    const { json: found } = await acme.get(`/trails/${acme.org}`, 'include=slots&name=run');
    expect((found as FoundPage).data).toEqual([row]);
    const { json: plain } = await acme.get(`/trails/${acme.org}/web`);
    expect((plain as FoundPage).data[0]).not.toHaveProperty('slots');
  });

  it('refuses wrong parameters, field by field', async () => {
    const acme = await newOrganization(api);
    const ask = async (query: string) => refusal(await acme.get(`/trails/${acme.org}/web`, query));
    expect(await ask('compliance_state=MISSING&include=events&sort_direction=up&start_ts=x&end_ts=y')).toEqual(
      invalidFields({
        'query.compliance_state[0]': expect.stringContaining("'COMPLIANT'"),
        'query.include[0]': expect.stringContaining("'slots'"),
        'query.sort_direction': expect.stringContaining("'asc' or 'desc'"),
        'query.start_ts': expect.stringContaining('valid number'),
        'query.end_ts': expect.stringContaining('valid number'),
      }),
    );
    expect(await ask('start_ts=2&end_ts=1&include=slots&per_page=51&name=a&page=2')).toEqual(
      invalidFields({
        'query.start_ts': 'Input should be less than or equal to end_ts [input: 2]',
        'query.per_page': 'Input should be less than or equal to 50 with slots [input: 51]',
        'query.page': 'Pages by name or state have no numbers. Use cursor [input: 2]',
      }),
    );
    expect(await ask('cursor=abc')).toEqual(
      invalidFields({ 'query.cursor': 'Only pages by name or state have cursors. Use page [input: abc]' }),
    );
  });
});
