import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import {
  aCommit,
  aRepo,
  evidenceApi,
  fingerprintOf,
  ID,
  invalidFields,
  newOrganization,
  OK,
  refusal,
} from '#test/support/evidence.ts';

const api = await evidenceApi();
const TEMPLATE = 'version: 1\ntrail:\n  attestations:\n    - name: bar\n      type: generic\n';

/** One organization for requests that are refused: none of them changes a record. */
const refusing = await newOrganization(api);
const untouched = await refusing.stored();

describe('PUT /trails/{org}/{flow}', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (org) => `/trails/${org}/web`,
    request: { form: { fields: { data_json: '{"name":"run"}' } } },
    needs: 'member',
  });

  it('begins a trail with 201, and creates a missing flow with an empty template', async () => {
    const acme = await newOrganization(api);
    expect(refusal(await acme.begin({}))).toEqual(OK);
    expect(await acme.trail()).toMatchObject({
      name: 'run',
      description: '',
      compliance_state: 'COMPLIANT',
      user_data: {},
      repo_ids: [],
      git_commit_info: null,
      external_urls: null,
      origin_url: null,
      created_by: `${acme.org}-admin`,
      template: { version: 1, trail: { attestations: [], artifacts: [] }, content: '' },
    });
    expect((await acme.get(`/flows/${acme.org}/web`)).json).toMatchObject({ name: 'web', template: 'version: 1' });
  });

  it('stores every field', async () => {
    const acme = await newOrganization(api);
    const urls = {
      build: { href: 'https://ci.example/1', fingerprint: fingerprintOf('log') },
      docs: 'https://d.example',
    };
    const fields = {
      description: 'a release',
      origin_url: 'https://ci.example/1',
      user_data: { ticket: 'ABC-1' },
      git_commit_info: aCommit(),
      repo_info: aRepo(),
      external_urls: urls,
      newer_field: [1],
    };
    expect((await acme.begin(fields, { template: TEMPLATE })).status).toBe(201);
    const trail = await acme.trail();
    expect(trail).toMatchObject({
      description: 'a release',
      origin_url: 'https://ci.example/1',
      user_data: { ticket: 'ABC-1' },
      git_commit_info: aCommit(),
      repo_ids: [expect.stringMatching(ID)],
      compliance_state: 'INCOMPLETE',
      external_urls: { build: urls.build, docs: { href: 'https://d.example' } },
      template: { version: 1, trail: { attestations: [{ name: 'bar', type: 'generic' }], artifacts: [] } },
    });
    expect((trail['template'] as { content: string }).content).toBe(TEMPLATE);
  });

  it('leaves absent fields unchanged, and stores empty values', async () => {
    const acme = await newOrganization(api);
    await acme.begin({ description: 'first', user_data: { a: 1 }, git_commit_info: aCommit() }, { template: TEMPLATE });
    expect(refusal(await acme.begin({ origin_url: 'https://o.example' }))).toEqual([200, 'OK']);
    expect(await acme.trail()).toMatchObject({
      description: 'first',
      user_data: { a: 1 },
      git_commit_info: aCommit(),
      origin_url: 'https://o.example',
      template: { content: TEMPLATE },
    });
    expect((await acme.begin({ description: '', user_data: {} })).status).toBe(200);
    expect(await acme.trail()).toMatchObject({ description: '', user_data: {}, template: { content: TEMPLATE } });
    const nulls = { description: null, user_data: null, git_commit_info: null, repo_info: null, external_urls: null };
    expect((await acme.begin({ ...nulls, origin_url: null })).status).toBe(200);
    expect(await acme.trail()).toMatchObject({ origin_url: 'https://o.example', git_commit_info: aCommit() });
  });

  it('appends an event that names the changed fields, and none if nothing changed', async () => {
    const acme = await newOrganization(api);
    const fields = { description: 'first', user_data: { a: 1, b: [2.0] }, git_commit_info: aCommit() };
    await acme.begin(fields, { template: TEMPLATE });
    const before = await acme.stored();
    expect((await acme.begin(fields, { template: TEMPLATE })).status).toBe(200);
    expect(await acme.stored()).toEqual(before);
    const change = { ...fields, description: 'second', git_commit_info: aCommit('d'), repo_info: aRepo() };
    expect((await acme.begin(change, { template: `${TEMPLATE}# changed\n` })).status).toBe(200);
    const { events, last_modified_at: modified } = await acme.trail();
    expect(events.map(({ type }) => type)).toEqual(['trail_reported', 'trail_updated']);
    expect(events[1]).toMatchObject({
      changes: ['description', 'git_commit_info', 'repo_info', 'template'],
      trail_data_json: { name: 'run', description: 'second', user_data: '{"a":1,"b":[2]}' },
      repo_info: { repo_id: '4711', name: 'acme/web', provider: 'gitlab' },
    });
    expect(events[1]?.timestamp).toBe(modified);
    expect(events[0]).toMatchObject({ trail_data_json: { name: 'run', description: 'first' }, repo_info: null });
    expect((await acme.begin(change)).status).toBe(200);
    expect((await acme.trail()).events).toHaveLength(2);
  });

  it('stores the new name of a repository, even if the trail does not change', async () => {
    const acme = await newOrganization(api);
    await acme.begin({ repo_info: aRepo() });
    await acme.begin({ repo_info: aRepo({ name: 'acme/shop' }) });
    expect((await acme.trail()).events).toHaveLength(1);
    const { repo_ids: ids } = await acme.trail();
    await acme.begin({ repo_info: aRepo({ name: 'acme/shop' }), description: 'now' }, { trail: 'next' });
    const next = await acme.trail({ trail: 'next' });
    expect(next.repo_ids).toEqual(ids);
    expect(next.events[0]).toMatchObject({ repo_info: { name: 'acme/shop', inner_id: ids[0] } });
    expect((await acme.get(`/artifacts/${acme.org}`, 'repo_name=acme/web')).status).toBe(404);
    expect((await acme.get(`/artifacts/${acme.org}`, 'repo_name=acme/shop')).status).toBe(200);
  });

  it('ignores a repository without id, name and url', async () => {
    const acme = await newOrganization(api);
    expect((await acme.begin({ repo_info: { id: '1', name: 'acme/web' } })).status).toBe(201);
    expect((await acme.trail()).repo_ids).toEqual([]);
  });

  it("is judged by the flow's template, or by its own template if it has one", async () => {
    const acme = await newOrganization(api);
    await acme.putFlow('web', TEMPLATE);
    await acme.begin({});
    expect(await acme.trail()).toMatchObject({ compliance_state: 'INCOMPLETE', template: { content: TEMPLATE } });
    await acme.begin({}, { trail: 'own', template: 'version: 1' });
    expect(await acme.trail({ trail: 'own' })).toMatchObject({
      compliance_state: 'COMPLIANT',
      template: { content: 'version: 1' },
    });
  });

  it.each([
    ['an unknown type', 'trail:\n  attestations:\n    - {name: a, type: nonsense}'],
    ['an unknown key', 'version: 1\nextra: 1'],
    ['a repeated name', 'trail:\n  attestations:\n    - {name: a, type: generic}\n    - {name: a, type: junit}'],
    ['broken YAML', 'trail: [unclosed'],
    ['aliases', 'a: &a [x]\nb: *a'],
  ])('refuses a template with %s', async (_, template) => {
    const answer = await refusing.begin({}, { template });
    expect(refusal(answer)).toEqual(
      invalidFields({
        template_file: expect.stringMatching(/^template file is invalid\. \d+ validation errors for Template\n./),
      }),
    );
    expect(await refusing.stored()).toEqual(untouched);
  });

  it('names all wrong fields in one answer, and stores nothing', async () => {
    const acme = await newOrganization(api);
    const before = await acme.stored();
    const answer = await acme.begin({
      name: 'foo?$bar',
      description: 1,
      origin_url: [],
      external_urls: { 'a.b': 'x', ok: { href: 'x', fingerprint: 'zz' } },
      git_commit_info: { sha1: 'abc', message: 1 },
    });
    expect(refusal(answer)).toEqual(
      invalidFields({
        name: String.raw`String should match pattern '^[a-zA-Z0-9][a-zA-Z0-9\-_.~]*$' [input: foo?$bar]`,
        description: 'Input should be a valid string [input: 1]',
        origin_url: 'Input should be a valid string [input: []]',
        'external_urls.a.b': expect.stringContaining('String should match pattern'),
        'external_urls.ok.href': 'Input should be a valid URL [input: x]',
        'external_urls.ok.fingerprint': "String should match pattern '^[a-f0-9]{64}$' [input: zz]",
        'git_commit_info.sha1': "String should match pattern '^[a-f0-9]{40}$' [input: abc]",
        'git_commit_info.message': 'Input should be a valid string [input: 1]',
        'git_commit_info.author': 'Field required [input: None]',
        'git_commit_info.timestamp': 'Field required [input: None]',
      }),
    );
    expect(await acme.stored()).toEqual(before);
  });

  it('refuses an invalid flow name', async () => {
    const acme = await newOrganization(api);
    const answer = await acme.call('PUT', `/trails/${acme.org}/foo bar`, {
      form: { fields: { data_json: '{"name":"run"}' } },
    });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('foo bar');
  });

  it('finds a flow by its former name, and refuses an archived flow', async () => {
    const acme = await newOrganization(api);
    await acme.putFlow('web', TEMPLATE);
    await acme.call('PUT', `/flows/${acme.org}/web/rename`, { json: { new_name: 'shop' } });
    expect((await acme.begin({})).status).toBe(201);
    expect((await acme.trail({ flow: 'shop' }))['flow']).toEqual({ name: 'shop', tags: {} });
    await acme.call('PUT', `/flows/${acme.org}/shop/archive`, { text: 'null' });
    const seconds = Math.floor(api.services.clock.now() / 1e6);
    const names = [seconds - 1, seconds].map((second) => `shop-archived-at-${second}`);
    const answers = await Promise.all(names.map((flow) => acme.get(`/trails/${acme.org}/${flow}/run`)));
    const flow = names[answers.findIndex(({ status }) => status === 200)] ?? '';
    expect(refusal(await acme.begin({ description: 'late' }, { flow }))).toEqual([
      404,
      { message: `Flow named '${flow}' does not exist for organization '${acme.org}'` },
    ]);
    expect((await acme.begin({}, { flow: 'shop' })).status).toBe(201);
    expect((await acme.trail({ flow: 'shop' })).compliance_state).toBe('COMPLIANT');
  });

  it('repeats the first answer for the same Idempotency-Key, even if nothing changed', async () => {
    const acme = await newOrganization(api);
    const once = (fields: Record<string, unknown>, key = 'once') =>
      acme.begin(fields, { request: { headers: { 'idempotency-key': key } } });
    expect((await once({ description: 'a' })).status).toBe(201);
    expect((await once({ description: 'a' })).status).toBe(201);
    expect(refusal(await once({ description: 'b' }))).toEqual([
      400,
      { message: expect.stringContaining('Idempotency-Key'), errors: { 'Idempotency-Key': expect.any(String) } },
    ]);
    expect((await once({ description: 'a' }, 'same')).status).toBe(200);
    expect((await once({ description: 'b' }, 'same')).status).toBe(400);
    expect((await acme.trail()).events).toHaveLength(1);
    const twice = await Promise.all([once({ description: 'c' }, 'race'), once({ description: 'c' }, 'race')]);
    expect(twice.map(({ status }) => status)).toEqual([200, 200]);
    expect((await acme.trail()).events).toHaveLength(2);
  });

  it('gives the same answer to two first requests with one Idempotency-Key', async () => {
    const acme = await newOrganization(api);
    const request = { headers: { 'idempotency-key': 'race' } };
    const answers = await Promise.all([1, 2, 3].map(() => acme.begin({ description: 'c' }, { request })));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect((await acme.trail()).events).toHaveLength(1);
  });
});
