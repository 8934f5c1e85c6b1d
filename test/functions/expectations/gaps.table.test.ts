import { describe, expect, it } from 'vitest';
import { killedAtWrite } from '#test/support/table/faults.ts';
import { expectationsApi, expectingOrganization } from './expectations-api.ts';
import { GAP_MINUTE as MINUTE, orKilled, sweepsOf } from './gap-sweeps.ts';

const api = await expectationsApi();
const { clock } = api.services;

/** An organization with `prod` reporting now, an expectation of 20 minutes, and its sweeps. The first look was made. */
async function watched(fields: object = {}) {
  const acme = await expectingOrganization(api);
  await acme.put(fields);
  await acme.report('prod');
  const sweeps = sweepsOf(api.services, acme.id);
  await sweeps.sweep();
  const gaps = async (query = '') => {
    const { json: body } = await acme.call('GET', '/gaps/ORG', { query });
    // The body of a list of gaps.
    return (body as { gaps: Record<string, unknown>[] }).gaps;
  };
  /** Lets time pass with a sweep in each minute, from which on no minute is unknown. */
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      clock.advance(MINUTE);
      await sweeps.sweep();
    }
  };
  const lastReport = async () => {
    const { json: body } = await acme.subjects();
    return (body as { subjects: { environment: string; last_reported_at: number }[] }).subjects[0]?.last_reported_at;
  };
  return { ...acme, sweeps, gaps, pass, lastReport };
}

describe('gaps in reports', () => {
  it('open exactly `every` after the last report, and close with the next one within the batch of the relay', async () => {
    const acme = await watched();
    const last = (await acme.lastReport()) ?? 0;
    await acme.pass(21);
    expect(await acme.gaps()).toEqual([]);
    await acme.pass(2);
    const [open] = await acme.gaps('state=open');
    expect(open).toMatchObject({
      expectation: 'alive',
      expectation_version: 1,
      kind: 'reports',
      subject: { type: 'environment', environment: 'prod' },
      state: 'open',
      until: null,
      unknown_seconds: 0,
      last_before: { at: last },
      html_url: `https://api.example/${acme.org}/gaps/${open?.['id']}`,
    });
    expect(open?.['from']).toBeCloseTo(last + 20 * 60, 5);
    // The sweeps of later minutes find it again, and add nothing.
    await acme.pass(6);
    expect(await acme.gaps()).toHaveLength(1);
    await acme.report('prod');
    const first = (await acme.lastReport()) ?? 0;
    await acme.sweeps.relay();
    const [closed] = await acme.gaps();
    expect(closed).toMatchObject({ state: 'closed', until: first, ended: 'arrived', first_after: { at: first } });
    expect(await acme.gaps('state=open')).toEqual([]);
    // The mark is gone: further reports wake nobody.
    await acme.report('prod');
    expect(await acme.sweeps.missed()).toEqual([]);
  });

  it('close by the sweep if the effect of the report was lost', async () => {
    const acme = await watched();
    await acme.pass(23);
    await acme.report('prod');
    const first = await acme.lastReport();
    await acme.report('prod');
    await acme.pass(6);
    expect(await acme.gaps()).toMatchObject([{ state: 'closed', until: first, ended: 'arrived' }]);
  });

  it('are unknown if they would be none without the minutes in which nobody swept', async () => {
    const acme = await watched();
    clock.advance(30 * MINUTE);
    await acme.sweeps.sweep();
    const [unknown] = await acme.gaps();
    expect(unknown).toMatchObject({ state: 'unknown', until: null });
    expect(unknown?.['unknown_seconds']).toBeGreaterThanOrEqual(28 * 60);
    await acme.report('prod');
    await acme.sweeps.relay();
    expect(await acme.gaps()).toMatchObject([{ state: 'unknown', ended: 'arrived' }]);
    const { id } = (await acme.gaps())[0] ?? {};
    expect((await acme.call('POST', `/gaps/ORG/${id}/excuse`, { json: { text: 'x' } })).status).toBe(409);
  });

  it('become open once they are too long without those minutes', async () => {
    const acme = await watched();
    clock.advance(10 * MINUTE);
    await acme.pass(14);
    expect(await acme.gaps()).toMatchObject([{ state: 'unknown' }]);
    await acme.pass(10);
    expect(await acme.gaps()).toMatchObject([{ state: 'open' }]);
  });

  it('end with the version of the expectation, and begin again where the next version begins', async () => {
    const acme = await watched();
    await acme.pass(23);
    await acme.put({ owner: 'team-web' });
    await acme.pass(1);
    const [second, first] = await acme.gaps();
    expect(first).toMatchObject({ state: 'closed', ended: 'changed', first_after: null, expectation_version: 1 });
    expect(second).toMatchObject({ state: 'open', expectation_version: 2, owner: 'team-web', from: first?.['until'] });
    await acme.archive();
    await acme.pass(1);
    expect(await acme.gaps('state=open')).toEqual([]);
    // Without expectations nobody looks at the organization any more.
    expect(await acme.sweeps.asked()).toBe(0);
  });

  it('end when the environment is archived, and follow its renaming', async () => {
    const acme = await watched({ scope: { tags: { tier: '1' } } });
    await acme.make('other');
    await acme.tag('other', { tier: '1' });
    await acme.tag('prod', { tier: '1' });
    await acme.pass(24);
    await acme.send('PUT', '/environments/ORG/prod/rename', { new_name: 'live' });
    expect(await acme.gaps('subject=live')).toMatchObject([{ subject: { environment: 'live' } }]);
    expect(await acme.gaps('subject=prod')).toHaveLength(1);
    await acme.send('PUT', '/environments/ORG/live/archive', null);
    await acme.tag('other', { tier: '2' });
    await acme.pass(6);
    const ended = (await acme.gaps()).map(({ ended, subject }) => [subject, ended]);
    expect(ended).toContainEqual([{ type: 'environment', environment: 'live' }, 'archived']);
    expect(ended).toHaveLength(2);
  });

  it('are excused once, and keep their interval', async () => {
    const acme = await watched();
    await acme.pass(23);
    const [open] = await acme.gaps();
    const excuse = (text: unknown, request: object = {}) =>
      acme.call('POST', `/gaps/ORG/${open?.['id']}/excuse`, { json: { text }, ...request });
    expect((await excuse('')).status).toBe(400);
    expect((await excuse(7)).status).toBe(400);
    expect((await excuse('The cluster moves')).json).toMatchObject({
      state: 'excused',
      until: null,
      explanation: { text: 'The cluster moves' },
    });
    expect((await excuse('The cluster moves')).status).toBe(200);
    expect((await excuse('Another reason')).status).toBe(409);
    expect(await acme.gaps('state=excused')).toHaveLength(1);
    await acme.report('prod');
    await acme.sweeps.relay();
    const { json: body } = await acme.call('GET', `/gaps/ORG/${open?.['id']}`);
    expect(body).toMatchObject({ state: 'excused', ended: 'arrived', from: open?.['from'] });
    expect((await acme.call('GET', '/gaps/ORG/00000000-0000-0000-0000-00000000')).status).toBe(404);
    const stranger = await expectingOrganization(api);
    const foreign = { key: stranger.key };
    expect((await acme.call('GET', `/gaps/ORG/${open?.['id']}`, foreign)).status).toBeGreaterThanOrEqual(401);
  });
});

describe('looks for gaps', () => {
  it('find every gap once, at whichever write a sweep or the relay is killed', async () => {
    const acme = await watched();
    await acme.make('two');
    await acme.report('two');
    await acme.put({ name: 'both', scope: { environments: ['prod', 'two'] } });
    await acme.pass(22);
    clock.advance(MINUTE);
    for (let write = 1; write < 12; write += 1) {
      await orKilled(acme.sweeps.sweep({ table: killedAtWrite(api.services.table, write) }));
      // The lease of the killed look ends.
      await acme.pass(1);
    }
    const found = await acme.gaps();
    expect(found.map(({ expectation, state }) => `${expectation} ${state}`).toSorted()).toEqual([
      'alive open',
      'both open',
      'both open',
    ]);
    await acme.report('prod');
    await acme.report('two');
    for (let write = 1; write < 8; write += 1) {
      await acme.sweeps.relay({ table: killedAtWrite(api.services.table, write) });
    }
    await acme.sweeps.relay();
    expect((await acme.gaps()).map(({ state }) => state)).toEqual(['closed', 'closed', 'closed']);
  });

  it('find every gap once if two sweeps run at once', async () => {
    const acme = await watched();
    await acme.pass(22);
    clock.advance(MINUTE);
    await Promise.all([acme.sweeps.sweep(), acme.sweeps.sweep(), acme.sweeps.sweep()]);
    expect(await acme.gaps()).toHaveLength(1);
    await acme.report('prod');
    await Promise.all([acme.sweeps.relay(), acme.sweeps.relay(), acme.sweeps.sweep()]);
    expect(await acme.gaps()).toMatchObject([{ state: 'closed' }]);
  });
});
