import { expect, it } from 'vitest';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { expectationsGroup } from '#functions/expectations/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { tagsGroup } from '#functions/tags/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { testApi } from '#test/support/api.ts';
import { newOrganization } from '#test/support/evidence.ts';
import { relayOf } from '#test/support/relay.ts';
import { faultyTable, killedAtWrite } from '#test/support/table/faults.ts';
import { GAP_MINUTE as MINUTE, orKilled, sweepsOf } from './gap-sweeps.ts';

const api = await testApi([expectationsGroup, flowsGroup, trailsGroup, attestationsGroup, tagsGroup]);
const { clock } = api.services;

type Shown = Record<string, unknown> & { from: number; until: number | null };

/** An organization with the flows `web` and `shop`, and its sweeps. */
async function watched() {
  const acme = await newOrganization(api);
  const relay = relayOf(api.services, acme.id);
  const sweeps = sweepsOf(api.services, acme.id);
  const send = async (method: string, path: string, json: unknown) => {
    const answer = await acme.call(method, path.replace('ORG', acme.org), { json });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  };
  await acme.putFlow('web');
  await acme.putFlow('shop');
  const gaps = async (query = '') => {
    const { json } = await acme.get(`/gaps/${acme.org}`, query);
    // The body of a list of gaps.
    return (json as { gaps: Shown[] }).gaps;
  };
  return {
    acme,
    relay,
    sweeps,
    send,
    gaps,
    put: (fields: object) =>
      send('PUT', '/expectations/ORG', {
        kind: 'activity',
        scope: { flows: ['web', 'shop'] },
        every: 'PT20M',
        grace: 'PT2M',
        ...fields,
      }),
    /** Lets time pass with a sweep in each minute, from which on no minute is unknown. */
    pass: async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        clock.advance(MINUTE);
        await sweeps.sweep();
      }
    },
    review: (flow: string, trail: string) =>
      acme.attest('generic', { attestation_name: 'review', is_compliant: true }, { flow, trail }),
    /** The last arrivals by flow, as the subjects show them. */
    lastMet: async (name: string) => {
      const { json } = await acme.get(`/expectations/${acme.org}/${name}/subjects`);
      const { subjects } = json as { subjects: { subject: { flow?: string }; last_met_at: number }[] };
      return new Map(subjects.map(({ subject, last_met_at }) => [subject.flow ?? '', last_met_at]));
    },
  };
}

const of = (gaps: readonly Shown[], expectation: string) =>
  gaps.filter((gap) => gap['expectation'] === expectation).map(({ subject, state }) => [subject, state]);
const flow = (name: string) => ({ type: 'flow', flow: name });

it('flows and scopes have gaps by what does not come, and the relay ends them at once with the first arrival', async () => {
  const { acme, relay, sweeps, put, gaps, pass, review, lastMet } = await watched();
  await acme.begin({}, { flow: 'web', trail: 'one' });
  await review('shop', 'one');
  await put({ name: 'begins' });
  await put({ name: 'reviews', kind: 'evidence', evidence: { name: 'review' } });
  await put({ name: 'any', kind: 'evidence', evidence: { type: 'generic' }, per: 'scope' });
  await relay.settle();
  const before = await lastMet('begins');
  await pass(10);
  await acme.begin({}, { flow: 'web', trail: 'two' });
  await relay.settle();
  await pass(13);
  const open = await gaps('state=open');
  expect(of(open, 'begins')).toEqual([[flow('shop'), 'open']]);
  expect(of(open, 'reviews')).toEqual(
    expect.arrayContaining([
      [flow('web'), 'open'],
      [flow('shop'), 'open'],
    ]),
  );
  expect(of(open, 'any')).toEqual([[{ type: 'scope' }, 'open']]);
  const begins = open.find((gap) => gap['expectation'] === 'begins');
  const last = before.get('shop') ?? 0;
  expect(begins).toMatchObject({
    last_before: { at: last, html_url: `https://api.example/${acme.org}/flows/shop/trails/one` },
    unknown_seconds: 0,
  });
  // The expectation counts from its own beginning.
  expect((begins?.from ?? 0) - last).toBeGreaterThan(20 * 60);
  expect((begins?.from ?? 0) - last).toBeLessThan(20 * 60 + 5);

  // Two arrivals of one batch: the first one ends the gap.
  await review('shop', 'later');
  clock.advance(MINUTE / 2);
  await review('shop', 'later');
  await relay.settle();
  const closed = await gaps();
  expect(of(closed, 'begins')).toEqual([[flow('shop'), 'closed']]);
  expect(of(closed, 'any')).toEqual([[{ type: 'scope' }, 'closed']]);
  expect(of(closed, 'reviews')).toEqual(
    expect.arrayContaining([
      [flow('web'), 'open'],
      [flow('shop'), 'closed'],
    ]),
  );
  const shop = closed.find(
    ({ subject, expectation }) => expectation === 'reviews' && JSON.stringify(subject).includes('shop'),
  );
  const any = closed.find(({ expectation }) => expectation === 'any');
  expect(shop).toMatchObject({ ended: 'arrived', first_after: { at: shop?.until } });
  expect(any?.until).toBe(shop?.until);
  expect(((await lastMet('reviews')).get('shop') ?? 0) - (shop?.until ?? 0)).toBeGreaterThanOrEqual(30);
  // Records that come again end nothing twice, and open nothing.
  const stored = JSON.stringify(await gaps());
  relay.restart();
  await pass(2);
  await sweeps.tell();
  expect(JSON.stringify(await gaps())).toBe(stored);
});

it('flows leave with their tags and with the archive; versions begin and end their gaps', async () => {
  const { acme, send, put, gaps, pass, sweeps } = await watched();
  await acme.putFlow('other');
  for (const name of ['web', 'shop']) await send('PATCH', `/tags/ORG/flow/${name}`, { set_tags: { tier: '1' } });
  await put({ name: 'tagged', scope: { tags: { tier: '1' } } });
  await pass(24);
  expect(of(await gaps('state=open'), 'tagged')).toHaveLength(2);
  await send('PATCH', '/tags/ORG/flow/web', { remove_tags: ['tier'] });
  await send('PUT', '/flows/ORG/shop/archive', null);
  await send('PATCH', '/tags/ORG/flow/other', { set_tags: { tier: '1' } });
  await pass(9);
  const ended = (await gaps()).map(({ subject, ended: why }) => [(subject as { flow: string }).flow.slice(0, 4), why]);
  expect(ended).toEqual(
    expect.arrayContaining([
      ['web', 'left'],
      ['shop', 'archived'],
      ['othe', null],
    ]),
  );
  expect(ended).toHaveLength(3);
  await put({ name: 'tagged', scope: { tags: { tier: '1' } }, owner: 'team' });
  await pass(1);
  const [second, first] = await gaps('subject=other');
  expect([first?.['ended'], second]).toMatchObject(['changed', { state: 'open', from: first?.until, owner: 'team' }]);
  await acme.call('POST', `/expectations/${acme.org}/tagged/archive`);
  await pass(1);
  expect([await gaps('state=open'), await sweeps.asked()]).toEqual([[], 0]);
});

it('no kill of a sweep or of the relay doubles or loses a gap about flows', async () => {
  const { relay, sweeps, put, gaps, pass, review } = await watched();
  await put({ name: 'begins' });
  await put({ name: 'any', kind: 'evidence', evidence: { name: 'review' }, per: 'scope' });
  await pass(21);
  const killed = (at: number) => ({ ...api.services, table: killedAtWrite(api.services.table, at) });
  clock.advance(2 * MINUTE);
  for (let write = 1; write < 9; write += 1) {
    await orKilled(sweeps.sweep(killed(write)));
    await pass(1);
  }
  expect((await gaps()).map(({ state }) => state)).toEqual(['open', 'open', 'open']);
  await review('web', 'one');
  await review('shop', 'one');
  const items = await relay.changed();
  const { services } = relay;
  for (let write = 1; write < 24; write += 1) {
    Object.assign(relay.services, { table: killed(write).table });
    await relay.hand(items);
  }
  Object.assign(relay.services, services, { table: api.services.table });
  await relay.hand(items);
  expect((await gaps()).map(({ state, ended }) => [state, ended])).toEqual([
    ['closed', 'arrived'],
    ['closed', 'arrived'],
    ['closed', 'arrived'],
  ]);
});

it('the look ends a gap whose arrival was stored by a relay that then died', async () => {
  const { relay, put, gaps, pass, review, acme } = await watched();
  await put({ name: 'begins', scope: { flows: ['web'] } });
  await pass(23);
  await review('web', 'one');
  const table = faultyTable(api.services.table, ({ command }) =>
    command === 'TransactWrite' ? 'timeout-before' : undefined,
  );
  Object.assign(relay.services, { table });
  expect(await relay.hand(await relay.changed())).toBe(false);
  expect((await gaps()).map(({ state }) => state)).toEqual(['open']);
  await Promise.all([pass(9), acme.get(`/gaps/${acme.org}`)]);
  expect(await gaps()).toMatchObject([{ state: 'closed', ended: 'arrived' }]);
});
