import { describe, expect, it } from 'vitest';
import { refused } from '#test/support/admin.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { kindsApi, organizationOfKinds, REVIEWED } from './kinds-api.ts';

const api = await kindsApi();
const { clock } = api.services;
const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;

interface Listed {
  subjects: { subject: Record<string, string>; state: string; last_met_at: number | null; due_at: number | null }[];
  counts: Record<string, number> | null;
  next_cursor: string | null;
}

/** An organization with the flow `web`, whose trails need a review, the environment `prod` and the control `C-1`. */
async function expecting() {
  const kinds = await organizationOfKinds(api);
  const { acme, relay, call, send } = kinds;
  const put = (about: object) =>
    call('PUT', '/expectations/ORG', {
      name: 'it',
      scope: { flows: ['web'] },
      every: 'PT20M',
      grace: 'PT5M',
      ...about,
    });
  const subjects = async (query = '', name = 'it') => {
    await relay.settle();
    const answer = await acme.get(`/expectations/${acme.org}/${name}/subjects`, query);
    expect(answer.status, answer.text).toBe(200);
    return answer.json as Listed;
  };
  const states = async (query = '') => (await subjects(query)).subjects.map(({ state }) => state);
  const run = (...names: string[]) =>
    send('PUT', '/environments/ORG/prod/report/server', {
      artifacts: names.map((name) => ({
        digests: { [name]: fingerprintOf(name) },
        creationTimestamp: 1_776_000_000,
      })),
    });
  return { ...kinds, put, subjects, states, run };
}

/** One organization for requests that are refused: none of them changes a record. */
const refusing = await expecting();
await refusing.acme.putFlow('gone');
await refusing.send('PUT', '/flows/ORG/gone/archive', null);
const [archived = ''] = /gone-archived-at-\d+/.exec((await refusing.acme.stored()).join(' ')) ?? [];
await refusing.send('POST', '/controls/ORG', { identifier: 'C-OLD', name: 'Old' });
await refusing.send('POST', '/controls/ORG/C-OLD/archive', null);
const other = await expecting();
await other.acme.putFlow('theirs');
await other.send('POST', '/controls/ORG', { identifier: 'C-THEIRS', name: 'Theirs' });

describe('PUT /expectations/{org}, by kind', () => {
  const evidence = { kind: 'evidence', evidence: { name: 'review' } };
  const decision = { kind: 'decision', scope: { environments: ['prod'] }, control: 'C-1' };

  it.each([
    ['evidence', evidence, { evidence: { name: 'review' }, per: 'flow' }],
    [
      'evidence of the scope',
      { ...evidence, per: 'scope', evidence: { type: 'snyk' } },
      { evidence: { type: 'snyk' }, per: 'scope' },
    ],
    ['evidence about a control', { ...evidence, evidence: { control: 'C-1' } }, { evidence: { control: 'C-1' } }],
    ['activity', { kind: 'activity', scope: { tags: { team: 'a' } } }, { scope: { tags: { team: 'a' } } }],
    ['completion', { kind: 'completion' }, { scope: { flows: ['web'] } }],
    ['decision', decision, { control: 'C-1', scope: { environments: ['prod'] } }],
  ])('stores and reads %s, and sees no change in the same request', async (name, about, shown) => {
    const { acme, put } = other;
    const made = await put({ name: name.replaceAll(' ', '-'), ...about });
    expect([made.status, made.json]).toMatchObject([201, { kind: about.kind, version: 1, ...shown }]);
    const same = await put({ name: name.replaceAll(' ', '-'), ...about });
    expect([same.status, same.json]).toEqual([200, made.json]);
    const { json } = await acme.get(`/expectations/${acme.org}/${name.replaceAll(' ', '-')}`);
    expect(json).toEqual(made.json);
  });

  it('follows a flow that was renamed, and keeps what an entry of the audit log says', async () => {
    const { acme, put, send } = await expecting();
    await put({ kind: 'activity' });
    await send('PUT', '/flows/ORG/web/rename', { new_name: 'shop' });
    const { json } = await acme.get(`/expectations/${acme.org}`);
    expect(json).toMatchObject({ expectations: [{ scope: { flows: ['shop'] } }] });
    expect((await put({ kind: 'activity', scope: { flows: ['web', 'shop'] } })).json).toMatchObject({ version: 1 });
    expect((await acme.get(`/audit/${acme.org}`, 'kind=expectation')).json).toMatchObject({
      entries: [{ after: { kind: 'activity', scope: { flows: ['web'] } } }],
    });
  });

  it('never changes the kind of an expectation', async () => {
    const { acme, put } = await expecting();
    await put({ kind: 'activity' });
    const text = "Expectation 'it' is of kind 'activity', and a kind never changes. Give another name";
    const answer = await put({ kind: 'completion' });
    expect([answer.status, answer.json]).toMatchObject(refused({ kind: `${text} [input: completion]` }));
    await acme.call('POST', `/expectations/${acme.org}/it/archive`);
    const archived = await put({ kind: 'completion', scope: { flows: ['nope'] } });
    expect([archived.status, archived.json]).toMatchObject(
      refused({ kind: `${text} [input: completion]`, 'scope.flows[0]': 'There is no such flow [input: nope]' }),
    );
  });

  const ONE = 'Give only one of name, type and control';
  it.each([
    [{ kind: 'evidence' }, { evidence: 'Give the name, the type or the control of the attestations' }],
    [{ ...evidence, evidence: {} }, { 'evidence.name': 'Give a name, a type or a control' }],
    [{ ...evidence, evidence: { name: 'a', type: 'snyk' } }, { 'evidence.type': ONE }],
    [{ ...evidence, evidence: { name: 'a b' } }, { 'evidence.name': expect.stringContaining('should match pattern') }],
    [
      { ...evidence, evidence: { type: '*' } },
      { 'evidence.type': expect.stringContaining('Should be one of generic, junit') },
    ],
    [{ ...evidence, evidence: { type: 'custom:' } }, { 'evidence.type': expect.stringContaining('Should be one of') }],
    [
      { ...evidence, evidence: { type: 'custom:nope' } },
      { 'evidence.type': 'There is no such custom type [input: custom:nope]' },
    ],
    [{ ...evidence, evidence: { control: 'C-9' } }, { 'evidence.control': 'There is no such control [input: C-9]' }],
    [{ ...evidence, per: 'trail' }, { per: "Input should be 'flow' or 'scope' [input: trail]" }],
    [
      { ...evidence, scope: { environments: ['prod'] } },
      {
        'scope.environments': "Expectations of kind 'evidence' are about flows",
        'scope.flows': 'Give names of flows, or tags',
      },
    ],
    [
      { ...evidence, scope: { flows: ['web'], tags: { a: 'b' } } },
      { 'scope.tags': 'Give names of flows or tags, not both' },
    ],
    [{ kind: 'activity', scope: {} }, { 'scope.flows': 'Give names of flows, or tags' }],
    [
      { kind: 'activity', ...{ evidence: { name: 'a' }, per: 'flow', control: 'C-1' } },
      {
        evidence: "Only expectations of kind 'evidence' have this field",
        per: "Only expectations of kind 'evidence' have this field",
        control: "Only expectations of kind 'decision' have this field",
      },
    ],
    [
      { kind: 'activity', scope: { flows: ['web', 'nope', archived, 'theirs', 'gone'] } },
      {
        'scope.flows[1]': 'There is no such flow [input: nope]',
        'scope.flows[2]': `The flow is archived [input: ${archived}]`,
        'scope.flows[3]': 'There is no such flow [input: theirs]',
        'scope.flows[4]': 'There is no such flow [input: gone]',
      },
    ],
    [{ kind: 'completion', every: 'PT0S' }, { every: expect.stringContaining('Should be from PT1M to P400D') }],
    [{ kind: 'completion', every: '-P1D' }, { every: 'A duration cannot be negative [input: -P1D]' }],
    [{ kind: 'completion', every: 'P1Y' }, { every: expect.stringContaining('Give days instead') }],
    [
      { kind: 'completion', due_soon: 'PT1M' },
      { due_soon: "Expectations of kind 'completion' do not have this field" },
    ],
    [{ kind: 'completion', grace: 'P31D' }, { grace: expect.stringContaining('Should be from PT0S to P30D') }],
    [{ ...decision, control: undefined }, { control: 'Give the control that the decisions are about' }],
    [{ ...decision, control: 'C-THEIRS' }, { control: 'There is no such control [input: C-THEIRS]' }],
    [{ ...decision, control: 'C-OLD' }, { control: 'The control is archived [input: C-OLD]' }],
    [
      { ...decision, scope: { environments: ['nope'] } },
      { 'scope.environments[0]': 'There is no such environment [input: nope]' },
    ],
  ])('refuses %j', async (fields, errors) => {
    const answer = await refusing.put(fields);
    expect([answer.status, answer.json]).toMatchObject(refused(errors));
    const { json } = await refusing.acme.get(`/expectations/${refusing.acme.org}`);
    expect(json).toMatchObject({ expectations: [] });
  });
});

describe('the flows of an expectation of the kind activity', () => {
  it('are late and missed without a new trail, whatever else comes, and met with one', async () => {
    const { acme, put, states, subjects } = await expecting();
    await put({ kind: 'activity' });
    await acme.begin({}, { trail: 'one' });
    const seen = [await states()];
    clock.advance(21 * MINUTE);
    await acme.attest('generic', { attestation_name: 'review', is_compliant: true }, { trail: 'one' });
    seen.push(await states());
    clock.advance(5 * MINUTE);
    seen.push(await states());
    await acme.begin({}, { trail: 'two' });
    seen.push(await states());
    expect(seen).toEqual([['met'], ['late'], ['missed'], ['met']]);
    const {
      subjects: [web],
      counts,
    } = await subjects();
    expect([web?.subject, counts]).toEqual([
      { type: 'flow', flow: 'web' },
      { met: 1, late: 0, missed: 0, unknown: 0 },
    ]);
    expect((web?.due_at ?? 0) - (web?.last_met_at ?? 0)).toBeCloseTo(25 * 60, 3);
  });

  it('follow the tags, leave with the archive, and come in pages by name', async () => {
    const { acme, put, send, subjects } = await expecting();
    for (const flow of ['a', 'b', 'c']) {
      await acme.putFlow(flow);
      await send('PATCH', `/tags/ORG/flow/${flow}`, { set_tags: { tier: '1', team: 'x' } });
    }
    await send('PATCH', '/tags/ORG/flow/web', { set_tags: { tier: '1' } });
    await put({ kind: 'activity', scope: { tags: { tier: '1', team: 'x' } } });
    const first = await subjects('per_page=2');
    const second = await subjects(`per_page=2&cursor=${first.next_cursor}`);
    const names = [first, second].map((page) => page.subjects.map(({ subject }) => subject['flow']));
    expect([names, second.next_cursor]).toEqual([[['a', 'b'], ['c']], null]);
    await send('PUT', '/flows/ORG/b/archive', null);
    expect((await subjects()).counts).toEqual({ met: 2, late: 0, missed: 0, unknown: 0 });
    clock.advance(30 * MINUTE);
    expect((await subjects('state=missed&per_page=1')).subjects).toMatchObject([
      { subject: { flow: 'a' }, last_met_at: null },
    ]);
  });
});

describe('the flows of an expectation of the kind evidence', () => {
  it.each([
    ['name', { name: 'review' }],
    ['type', { type: 'generic' }],
  ])('are met by compliant attestations of the %s only', async (_, evidence) => {
    const { put, states, review, acme } = await expecting();
    await put({ kind: 'evidence', evidence });
    await review();
    clock.advance(21 * MINUTE);
    await review({ is_compliant: false });
    await acme.attest('junit', { attestation_name: 'unit', junit_results: [] }, { trail: 'one' });
    const before = await states();
    await review();
    expect([before, await states()]).toEqual([['late'], ['met']]);
  });

  it('are met by compliant decisions about the control', async () => {
    const { put, states, decide, acme } = await expecting();
    await acme.begin({}, { trail: 'one' });
    await put({ kind: 'evidence', evidence: { control: 'C-1' }, starts_at: 0 });
    clock.advance(26 * MINUTE);
    await decide(false);
    const before = await states();
    await decide(true);
    expect([before, await states()]).toEqual([['missed'], ['met']]);
  });

  it('are counted in the list as their own list counts them, each kind and sort of them', async () => {
    const { acme, relay, send, put, subjects, review } = await expecting();
    await acme.putFlow('api');
    await send('PATCH', '/tags/ORG/flow/api', { set_tags: { tier: '1' } });
    const both = { scope: { flows: ['web', 'api'] } };
    await put({ name: 'begins', kind: 'activity', ...both });
    await put({ name: 'reviews', kind: 'evidence', evidence: { name: 'review' }, ...both });
    await put({ name: 'tagged', kind: 'evidence', evidence: { type: 'generic' }, scope: { tags: { tier: '1' } } });
    await put({ name: 'any', kind: 'evidence', evidence: { name: 'review' }, per: 'scope', ...both });
    await put({ name: 'ended', kind: 'activity', ...both });
    await send('POST', '/expectations/ORG/ended/archive', null);
    clock.advance(22 * MINUTE);
    await review();
    clock.advance(10 * MINUTE);
    await relay.settle();
    const own = await Promise.all(['any', 'begins', 'reviews', 'tagged'].map((name) => subjects('', name)));
    const { json } = await acme.get(`/expectations/${acme.org}`, 'include=counts');
    const { expectations } = json as { expectations: { name: string; counts: object; next_due_at: number | null }[] };
    const listed = new Map(expectations.map((one) => [one.name, one]));
    expect(['any', 'begins', 'reviews', 'tagged'].map((name) => listed.get(name)?.counts)).toEqual(
      own.map(({ counts }) => counts),
    );
    expect(listed.get('reviews')).toMatchObject({
      counts: { met: 1, late: 0, missed: 1, unknown: 0 },
      next_due_at: own[2]?.subjects.find(({ state }) => state === 'met')?.due_at,
    });
    expect(listed.get('ended')).toMatchObject({ counts: { met: 0, missed: 0 }, next_due_at: null });
  });

  it('are one subject if one flow of the scope is enough', async () => {
    const { acme, put, subjects, review } = await expecting();
    await acme.putFlow('other');
    await put({ kind: 'evidence', evidence: { name: 'review' }, per: 'scope', scope: { flows: ['web', 'other'] } });
    clock.advance(26 * MINUTE);
    const before = await subjects();
    await review({}, 'other');
    expect([before, await subjects()]).toMatchObject([
      { subjects: [{ subject: { type: 'scope' }, state: 'missed', last_met_at: null }], counts: { missed: 1 } },
      { subjects: [{ state: 'met' }], counts: { met: 1, missed: 0 } },
    ]);
  });
});

describe('the trails of an expectation of the kind completion', () => {
  it('are met once they were compliant, and missed if they never were; newest first', async () => {
    const { acme, put, subjects, states, review } = await expecting();
    await acme.begin({}, { trail: 'zero' });
    clock.advance(MINUTE);
    await put({ kind: 'completion' });
    await acme.putFlow('other', REVIEWED);
    await acme.begin({}, { trail: 'elsewhere', flow: 'other' });
    await acme.begin({}, { trail: 'one' });
    clock.advance(MINUTE);
    await acme.begin({}, { trail: 'two' });
    await review();
    await review({ is_compliant: false });
    clock.advance(24 * MINUTE + 30 * SECOND);
    const listed = await subjects();
    expect(listed).toMatchObject({
      subjects: [
        { subject: { type: 'trail', flow: 'web', trail: 'two' }, state: 'late', last_met_at: null },
        { subject: { type: 'trail', flow: 'web', trail: 'one' }, state: 'met', due_at: null },
      ],
      counts: null,
      next_cursor: null,
    });
    clock.advance(MINUTE);
    expect(await states()).toEqual(['missed', 'met']);
    expect((await subjects('state=missed')).subjects).toMatchObject([{ subject: { trail: 'two' } }]);
    const first = await subjects('per_page=1');
    const second = await subjects(`per_page=1&cursor=${first.next_cursor}`);
    expect([first, second].map((page) => page.subjects.map(({ subject }) => subject['trail']))).toEqual([
      ['two'],
      ['one'],
    ]);
  });
});

describe('the artifacts of an expectation of the kind decision', () => {
  it('are met by a decision on the fingerprint or on a trail, before or after the start', async () => {
    const { acme, put, subjects, decide, run, send } = await expecting();
    for (const [i, name] of ['early', 'late', 'never'].entries()) {
      await acme.begin({}, { trail: `t-${i}` });
      await acme.report(anArtifact(name, { trail_name: `t-${i}` }), { trail: `t-${i}` });
    }
    await acme.begin({}, { trail: 'one' });
    await put({ kind: 'decision', scope: { environments: ['prod'] }, control: 'C-1' });
    await decide(true, { artifact_fingerprint: fingerprintOf('early') });
    await run('early', 'late', 'never');
    const decision = { type_name: 'decision', attestation_name: 'ok', control: 'C-1' };
    await acme.attest('system', { ...decision, attestation_data: { is_compliant: false } }, { trail: 't-2' });
    await acme.attest('system', { ...decision, attestation_data: { is_compliant: true } }, { trail: 't-1' });
    clock.advance(26 * MINUTE);
    const byName = async (query = '') =>
      Object.fromEntries((await subjects(query)).subjects.map(({ subject, state }) => [subject['name'], state]));
    expect(await byName()).toEqual({ early: 'met', late: 'met', never: 'missed' });
    expect(await byName('state=missed')).toEqual({ never: 'missed' });
    const pages: unknown[] = [];
    let cursor = '';
    for (;;) {
      const page = await subjects(`per_page=1${cursor}`);
      pages.push(...page.subjects.map(({ subject }) => [subject['environment'], subject['name']]));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(pages).toHaveLength(3);
    await decide(true, { artifact_fingerprint: fingerprintOf('never') });
    expect(await byName('state=missed')).toEqual({});
    await send('PUT', '/environments/ORG/prod/archive', null);
    expect(await byName()).toEqual({});
  });
});
