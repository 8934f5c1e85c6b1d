import { expect, it } from 'vitest';
import { lookForGaps } from '#shared/expectations/gaps/sweep-gaps.ts';
import { readExpecting } from '#shared/expectations/records/expecting-organizations.ts';
import { readOngoing } from '#shared/expectations/records/gaps.ts';
import { recordingQueue } from '#test/support/queue.ts';
import { killedAtWrite } from '#test/support/table/faults.ts';
import { GAP_MINUTE as MINUTE, orKilled } from './gap-sweeps.ts';
import { kindsApi, REVIEWED } from './kinds-api.ts';
import { organizationOfOnce, type ShownGap } from './once-gaps.ts';

const api = await kindsApi();
const { clock } = api.services;

/** An organization whose expectation `done` asks that trails of `web` are compliant within 20 minutes. */
async function expecting(fields: object = {}) {
  const once = await organizationOfOnce(api);
  const { acme, put } = once;
  const done = { name: 'done', kind: 'completion', scope: { flows: ['web'] }, ...fields };
  await put(done);
  await once.sweeps.sweep();
  return {
    ...once,
    done,
    begin: (trail: string, flow = 'web') => acme.begin({}, { flow, trail }),
    complete: (trail: string, flow = 'web') =>
      acme.attest('generic', { attestation_name: 'review', is_compliant: true }, { flow, trail }),
  };
}

const trails = (gaps: readonly ShownGap[]) =>
  gaps.map(({ subject, state, ended }) => `${subject['trail']} ${state} ${ended ?? ''}`.trim()).toSorted();

it('a trail that is not compliant in time has one gap, which the relay ends at once', async () => {
  const { acme, relay, sweeps, gaps, pass, begin, complete, call, send, expectDryRunToAgree } = await expecting();
  await acme.putFlow('other', REVIEWED);
  await begin('elsewhere', 'other');
  for (const trail of ['late', 'never', 'soon']) await begin(trail);
  await complete('soon');
  await relay.settle();
  await pass(21);
  expect(await gaps()).toEqual([]);
  // It becomes compliant after it was due and before the look.
  await begin('second');
  await pass(2);
  const [gap] = await gaps('state=open');
  expect(trails(await gaps('state=open&kind=completion&subject=web'))).toEqual(['late open', 'never open']);
  expect(gap).toMatchObject({ last_before: null, first_after: null, unknown_seconds: 0, until: null });
  const dueOf = async (trail: string) => {
    const { json } = await acme.get(`/expectations/${acme.org}/done/subjects`);
    const { subjects } = json as { subjects: { subject: { trail: string }; due_at: number }[] };
    return subjects.find(({ subject }) => subject.trail === trail)?.due_at ?? 0;
  };
  expect(await dueOf(gap?.subject['trail'] ?? '')).toBe((gap?.from ?? 0) + 120);

  await complete('late');
  await relay.settle();
  const [late] = (await gaps()).filter(({ subject }) => subject['trail'] === 'late');
  expect(late).toMatchObject({
    state: 'closed',
    ended: 'arrived',
    first_after: { at: late?.until, html_url: `https://api.example/${acme.org}/flows/web/trails/late` },
  });
  const due = await dueOf('second');
  while (clock.now() / 1e6 < due - 31) {
    clock.advance(MINUTE / 2);
    await sweeps.sweep();
  }
  clock.advance((due + 1) * 1e6 - clock.now());
  await complete('second');
  await relay.settle();
  await sweeps.sweep();
  expect(trails(await gaps())).toEqual(['late closed arrived', 'never open', 'second closed arrived']);
  await expectDryRunToAgree('done');
  // Records that come again, and further looks, change nothing.
  const stored = JSON.stringify(await gaps());
  relay.restart();
  await relay.hand(await relay.changed());
  await pass(9);
  expect(JSON.stringify(await gaps())).toBe(stored);

  const openGaps = async () => {
    const { json } = await acme.get(`/expectations/${acme.org}`, 'include=counts');
    const [listed] = (json as { expectations: Record<string, unknown>[] }).expectations;
    expect(listed).not.toHaveProperty('counts');
    const { json: page } = await acme.get(`/expectations/${acme.org}/${listed?.['name']}/subjects`);
    expect(page).toMatchObject({ counts: null, open_gaps: listed?.['open_gaps'] });
    return listed?.['open_gaps'];
  };
  expect(await openGaps()).toBe(1);
  const [never] = await gaps('state=open');
  const excuse = { text: 'It was given up' };
  expect((await call('POST', `/gaps/ORG/${never?.id}/excuse`, excuse)).json).toMatchObject({ state: 'excused' });
  expect(await openGaps()).toBe(0);
  await complete('never');
  await relay.settle();
  expect(await gaps('state=excused')).toMatchObject([{ ended: 'arrived', subject: { trail: 'never' } }]);
  const { json: log } = await acme.get(`/audit/${acme.org}`, 'per_page=100');
  const kinds = (log as { entries: { kind: string }[] }).entries.map(({ kind }) => kind);
  const count = (kind: string) => kinds.filter((one) => one === kind).length;
  expect([count('gap.opened'), count('gap.closed'), count('gap.excused')]).toEqual([3, 2, 1]);
  await send('PUT', '/flows/ORG/web/rename', { new_name: 'site' });
  expect(await gaps('subject=site')).toHaveLength(3);
});

it('time in which nobody swept makes no gap, until the trail is too late without it', async () => {
  const { relay, gaps, pass, begin, complete } = await expecting();
  await begin('down');
  await begin('also');
  clock.advance(30 * MINUTE);
  await pass(1);
  expect(trails(await gaps())).toEqual(['also unknown', 'down unknown']);
  await complete('also');
  await relay.settle();
  await pass(19);
  expect(trails(await gaps())).toEqual(['also unknown arrived', 'down unknown']);
  await pass(3);
  expect(trails(await gaps())).toEqual(['also unknown arrived', 'down open']);
});

it('gaps end with their version and their flow, and the next version counts from its own beginning', async () => {
  const { acme, sweeps, put, gaps, pass, begin, done, send } = await expecting();
  await begin('old');
  await pass(10);
  await begin('young');
  await pass(14);
  expect(trails(await gaps())).toEqual(['old open']);
  // Under this version `young` is due at once, and `old` is still missing.
  await put({ ...done, every: 'PT5M' });
  await pass(1);
  const second = await gaps('state=open');
  expect(trails(second)).toEqual(['old open', 'young open']);
  const [first] = (await gaps()).filter(({ state }) => state === 'closed');
  expect(first).toMatchObject({ ended: 'changed', expectation_version: 1 });
  expect(second.map(({ from }) => from)).toEqual([first?.until, first?.until]);
  // Under this one nothing is due for now. It becomes due later.
  await put({ ...done, every: 'PT1H' });
  await pass(1);
  expect(await gaps('state=open')).toEqual([]);
  await pass(38);
  expect(trails(await gaps('state=open'))).toEqual(['old open']);
  await pass(10);
  expect(trails(await gaps('state=open'))).toEqual(['old open', 'young open']);
  await send('PUT', '/flows/ORG/web/archive', null);
  await pass(9);
  expect(await gaps('state=open')).toEqual([]);
  expect((await gaps()).map(({ ended }) => ended).toSorted()).toEqual([
    'archived',
    'archived',
    'changed',
    'changed',
    'changed',
  ]);
  await acme.call('POST', `/expectations/${acme.org}/done/archive`);
  await pass(1);
  expect(await sweeps.asked()).toBe(0);
});

it('a scope of tags asks for the trails that are due while their flow is in it', async () => {
  const { gaps, pass, begin, send } = await expecting({ scope: { tags: { tier: '1' } } });
  await begin('before');
  await pass(10);
  await begin('within');
  await pass(14);
  await send('PATCH', '/tags/ORG/flow/web', { set_tags: { tier: '1' } });
  await pass(9);
  expect(trails(await gaps())).toEqual(['within open']);
  await send('PATCH', '/tags/ORG/flow/web', { remove_tags: ['tier'] });
  await pass(9);
  expect(trails(await gaps())).toEqual(['within closed left']);
});

it('no kill of a sweep or of the relay, and no second sweep, doubles or loses a gap about trails', async () => {
  const { relay, sweeps, gaps, pass, begin, complete, expectDryRunToAgree } = await expecting();
  for (const trail of ['one', 'two', 'three']) await begin(trail);
  await relay.settle();
  await pass(21);
  const killed = (at: number) => ({ ...api.services, table: killedAtWrite(api.services.table, at) });
  clock.advance(2 * MINUTE);
  for (let write = 1; write < 9; write += 1) {
    await orKilled(sweeps.sweep(killed(write)));
    await pass(1);
  }
  expect(trails(await gaps())).toEqual(['one open', 'three open', 'two open']);
  for (const trail of ['one', 'two', 'three']) await complete(trail);
  const items = await relay.changed();
  const { services } = relay;
  for (let write = 1; write < 20; write += 1) {
    Object.assign(relay.services, { table: killed(write).table });
    await relay.hand(items);
  }
  Object.assign(relay.services, services, { table: api.services.table });
  await Promise.all([relay.hand(items), sweeps.sweep(), sweeps.sweep()]);
  expect(trails(await gaps())).toEqual(['one', 'three', 'two'].map((one) => `${one} closed arrived`));
  await begin('four');
  await pass(22);
  clock.advance(MINUTE);
  await Promise.all([sweeps.sweep(), sweeps.sweep(), complete('four').then(() => relay.settle())]);
  await pass(1);
  await expectDryRunToAgree('done');
});

it('the sweep of events ends a gap whose effect was lost', async () => {
  const { relay, sweeps, gaps, pass, begin, complete } = await expecting();
  await begin('one');
  await relay.settle();
  await pass(23);
  await complete('one');
  clock.advance(10 * MINUTE);
  await sweeps.makeUp();
  expect(trails(await gaps())).toEqual(['one closed arrived']);
});

it('an interrupted look is continued behind the trails that it has seen', async () => {
  const { acme, begin } = await expecting();
  const names = Array.from({ length: 130 }, (_, i) => `t-${String(i).padStart(3, '0')}`);
  for (const name of names) await begin(name);
  clock.advance(60 * MINUTE);
  const look = (calls: number) => {
    let left = calls;
    const isTime = () => {
      left -= 1;
      return left >= 0;
    };
    const services = { ...api.services, deliveries: recordingQueue().queue };
    return lookForGaps(services, acme.id, { sent: clock.now(), lease: MINUTE, isTime });
  };
  // One question for each portion, and one for each trail.
  expect(await look(101)).toBe('interrupted');
  const placesOf = async () => (await readExpecting(api.services.table)).find(({ org }) => org === acme.id)?.places;
  expect(Object.values((await placesOf()) ?? {})).toHaveLength(1);
  expect(await readOngoing(api.services.table, acme.id)).toHaveLength(100);
  // The gaps that last are looked at as well.
  expect(await look(131)).toBe('complete');
  expect(await placesOf()).toEqual({});
  expect(await readOngoing(api.services.table, acme.id)).toHaveLength(130);
});
