import { expect, it } from 'vitest';
import { replayEvents } from '#shared/environments/sweeps/replay-events.ts';
import { reapplyEnds } from '#shared/restore/reapply-ends.ts';
import { setClosed } from '#shared/table/table-state.ts';
import { GAP_MINUTE as MINUTE, sweepsOf } from '#test/functions/expectations/gap-sweeps.ts';
import { kindsApi } from '#test/functions/expectations/kinds-api.ts';
import { organizationOfOnce, type ShownGap } from '#test/functions/expectations/once-gaps.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { relayOf } from '#test/support/relay.ts';
import { testTable } from '#test/support/table.ts';
import { itemsOf } from './two-tables.ts';

/** Gaps of expectations about evidence, activity, completion and decisions, after a restore to an earlier instant. */

const api = await kindsApi();
const { services } = api;
const { clock } = services;

const lines = (gaps: readonly ShownGap[]) =>
  gaps
    .map(({ expectation, subject: { type, trail, name }, state, ended }) =>
      [expectation, type === 'trail' ? trail : name, state, ended].filter((one) => one != null).join(' '),
    )
    .toSorted();

it('no gap of a flow is doubled, lost or blamed on others for the time of a restore', async () => {
  const once = await organizationOfOnce(api);
  const { acme, put, send, gaps, review, decide } = once;
  let relay = once.relay;
  const begin = (trail: string) => acme.begin({}, { flow: 'web', trail });
  const run = (...names: string[]) =>
    send('PUT', '/environments/ORG/prod/report/server', {
      artifacts: names.map((name) => ({ digests: { [name]: fingerprintOf(name) }, creationTimestamp: 1_776_000_000 })),
    });
  const expectations = {
    begins: { kind: 'activity', scope: { flows: ['web'] } },
    reviewed: { kind: 'evidence', evidence: { name: 'review' }, scope: { flows: ['web'] } },
    audited: { kind: 'evidence', evidence: { name: 'audit' }, scope: { flows: ['web'] }, every: 'PT5M', grace: 'PT1M' },
    done: { kind: 'completion', scope: { flows: ['web'] } },
    approved: { kind: 'decision', scope: { environments: ['prod'] }, control: 'C-1' },
  };
  await begin('one');
  for (const [name, fields] of Object.entries(expectations)) await put({ name, ...fields });
  for (const trail of ['one', 'slow']) await begin(trail);
  await review();
  for (const name of ['known', 'late']) await acme.report(anArtifact(name, { trail_name: 'one' }), { trail: 'one' });
  await run('known');
  await relay.settle();
  await once.pass(10);
  expect(lines(await gaps())).toEqual(['audited open']);
  const [audited] = await gaps();

  // What was stored just before the instant of the restore has no effect yet: a start, a trail that begins, and a review of it.
  await run('known', 'late');
  await begin('last');
  await acme.attest('generic', { attestation_name: 'review', is_compliant: true }, { flow: 'web', trail: 'last' });
  const since = clock.now();
  const { table: from } = services;
  const to = await testTable();
  await to.putMany(await itemsOf(from));

  // The old table goes on: gaps begin and end, and none of it is in the restored table.
  await relay.settle();
  await acme.attest('generic', { attestation_name: 'audit', is_compliant: true }, { flow: 'web', trail: 'last' });
  await relay.settle();
  await once.pass(15);
  expect(lines(await gaps('state=open'))).toEqual(['approved known open', 'audited open', 'done slow open']);

  // Maintenance: no sweep, no beat.
  clock.advance(60 * MINUTE);
  const { objects, files } = services;
  await setClosed(to, clock.now());
  await reapplyEnds({ from, to, objects, files, clock, since });
  services.table = to;
  await replayEvents({ table: to, clock }, since);
  await setClosed(to, undefined);
  relay = relayOf(services, acme.id);
  const sweeps = sweepsOf(services, acme.id);
  // The looks come before the effects that the restore lost.
  await once.pass(1);
  clock.advance(5 * MINUTE);
  await sweeps.makeUp();
  await relay.settle();
  await once.pass(9);

  // Nobody could report for an hour and a quarter, so nobody is blamed for it. The first look did not know the last trail and its review.
  const behind = ['begins unknown arrived', 'reviewed unknown arrived'];
  const unknown = ['approved known', 'approved late', 'begins', 'done slow', 'reviewed'].map((one) => `${one} unknown`);
  expect(lines(await gaps())).toEqual(['audited open', ...behind, ...unknown].toSorted());
  expect((await gaps()).find(({ expectation }) => expectation === 'audited')).toMatchObject({
    id: audited?.id,
    from: audited?.from,
  });

  // Then the silence becomes too long without the time of the restore.
  await once.pass(20);
  const open = await gaps('state=open');
  const late = ['approved known', 'approved late', 'audited', 'begins', 'done slow', 'reviewed'];
  expect(lines(open)).toEqual(late.map((one) => `${one} open`));
  expect(lines(await gaps())).toEqual([...lines(open), ...behind].toSorted());

  await review();
  await begin('new');
  await acme.attest('generic', { attestation_name: 'review', is_compliant: true }, { flow: 'web', trail: 'slow' });
  await acme.attest('generic', { attestation_name: 'audit', is_compliant: true }, { flow: 'web', trail: 'new' });
  await decide(true);
  await relay.settle();
  expect(lines(await gaps())).toEqual([...late.map((one) => `${one} closed arrived`), ...behind].toSorted());
  const stored = JSON.stringify(await gaps());
  await sweeps.makeUp();
  await once.pass(3);
  expect(JSON.stringify(await gaps())).toBe(stored);
});
