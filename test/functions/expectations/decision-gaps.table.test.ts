import { expect, it } from 'vitest';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { killedAtWrite } from '#test/support/table/faults.ts';
import { GAP_MINUTE as MINUTE, orKilled } from './gap-sweeps.ts';
import { kindsApi } from './kinds-api.ts';
import { organizationOfOnce, type ShownGap } from './once-gaps.ts';

const api = await kindsApi();
const { clock } = api.services;

/** An organization whose expectation `approved` asks for a decision about each artifact that starts in `prod`, within 20 minutes. */
async function expecting(fields: object = {}) {
  const once = await organizationOfOnce(api);
  const { acme, put, send, decide, relay } = once;
  const approved = { name: 'approved', kind: 'decision', scope: { environments: ['prod'] }, control: 'C-1', ...fields };
  await acme.begin({}, { trail: 'one' });
  await put(approved);
  await once.sweeps.sweep();
  return {
    ...once,
    approved,
    /** Reports what runs in an environment. */
    run: (names: readonly string[], environment = 'prod') =>
      send('PUT', `/environments/ORG/${environment}/report/server`, {
        artifacts: names.map((name) => ({
          digests: { [name]: fingerprintOf(name) },
          creationTimestamp: 1_776_000_000,
        })),
      }),
    /** Decides about an artifact. */
    approve: (name: string, compliant = true) => decide(compliant, { artifact_fingerprint: fingerprintOf(name) }),
    report: (name: string, trail = 'one') => acme.report(anArtifact(name, { trail_name: trail }), { trail }),
    settle: () => relay.settle(),
  };
}

const artifacts = (gaps: readonly ShownGap[]) =>
  gaps.map(({ subject, state, ended }) => `${subject['name']} ${state} ${ended ?? ''}`.trim()).toSorted();

it('an artifact that nobody decided about in time has one gap, which a decision ends at once', async () => {
  const once = await expecting();
  const { acme, gaps, pass, run, approve, report, settle, decide, call, expectDryRunToAgree } = once;
  for (const name of ['early', 'own', 'shared', 'never']) await report(name);
  await report('elsewhere', 'two');
  await approve('early');
  await run(['early', 'own', 'shared', 'never', 'elsewhere', 'unreported']);
  await settle();
  await pass(21);
  expect(await gaps()).toEqual([]);
  await pass(2);
  const open = await gaps('state=open&kind=decision&subject=prod');
  expect(artifacts(open)).toEqual(['elsewhere', 'never', 'own', 'shared', 'unreported'].map((one) => `${one} open`));
  expect(open[0]).toMatchObject({
    subject: { type: 'artifact', environment: 'prod', fingerprint: fingerprintOf(open[0]?.subject['name'] ?? '') },
    last_before: null,
    until: null,
  });
  await expectDryRunToAgree('approved');

  await approve('own', false);
  await settle();
  await approve('own');
  await settle();
  const [own] = await gaps('state=closed');
  expect(own).toMatchObject({ ended: 'arrived', first_after: { at: own?.until } });
  // A decision about the trail is one about all of its artifacts.
  clock.advance(MINUTE / 2);
  await decide(true);
  await settle();
  const closed = await gaps('state=closed');
  expect(artifacts(closed)).toEqual(['never', 'own', 'shared'].map((one) => `${one} closed arrived`));
  // So is a decision about a trail in which the artifact is reported later.
  await report('unreported');
  await settle();
  expect(artifacts(await gaps('state=open'))).toEqual(['elsewhere open']);
  await expectDryRunToAgree('approved');
  const stored = JSON.stringify(await gaps());
  await pass(9);
  expect(JSON.stringify(await gaps())).toBe(stored);

  const [left] = await gaps('state=open');
  const excused = await call('POST', `/gaps/ORG/${left?.id}/excuse`, { text: 'It is an experiment' });
  expect(excused.json).toMatchObject({ state: 'excused' });
  const { json: log } = await acme.get(`/audit/${acme.org}`, 'kind=gap&per_page=100');
  const { entries } = log as { entries: { kind: string }[] };
  expect(entries.filter(({ kind }) => kind === 'gap.opened')).toHaveLength(5);
});

it('a restart continues the gap of the artifact, unless the artifact was decided about in between', async () => {
  const { gaps, pass, run, approve, report, settle, expectDryRunToAgree } = await expecting();
  await report('web');
  const restart = async () => {
    await run([]);
    await pass(1);
    await run(['web']);
    await settle();
  };
  await run(['web']);
  await settle();
  await pass(15);
  await restart();
  await pass(15);
  expect(artifacts(await gaps())).toEqual(['web open']);
  await restart();
  await approve('web');
  await settle();
  // Both restarts are due after the decision.
  await pass(25);
  expect(artifacts(await gaps())).toEqual(['web closed arrived']);
  await approve('web', false);
  await restart();
  await pass(23);
  expect(artifacts(await gaps())).toEqual(['web closed arrived', 'web open']);
  await expectDryRunToAgree('approved');
});

it('time without sweeps makes no gap; versions and archived environments end them', async () => {
  const { gaps, pass, run, settle, put, send, approved } = await expecting();
  await run(['web']);
  await settle();
  clock.advance(30 * MINUTE);
  await pass(1);
  expect(artifacts(await gaps())).toEqual(['web unknown']);
  await pass(22);
  expect(artifacts(await gaps())).toEqual(['web open']);
  await put({ ...approved, every: 'PT5M', owner: 'team' });
  await pass(1);
  expect(artifacts(await gaps())).toEqual(['web closed changed', 'web open']);
  expect(await gaps('state=open')).toMatchObject([{ expectation_version: 2, owner: 'team' }]);
  await put({ ...approved, scope: { tags: { tier: '1' } } });
  await pass(1);
  expect(await gaps('state=open')).toEqual([]);
  await send('PATCH', '/tags/ORG/env/prod', { set_tags: { tier: '1' } });
  await run(['api']);
  await settle();
  await pass(23);
  expect(artifacts(await gaps('state=open'))).toEqual(['api open']);
  await send('PUT', '/environments/ORG/prod/archive', null);
  await pass(9);
  expect(await gaps('state=open')).toEqual([]);
  expect((await gaps()).map(({ ended }) => ended)).toContain('archived');
});

it('no kill and no second sweep doubles or loses a gap, and the sweeps find what the stream lost', async () => {
  const { relay, sweeps, gaps, pass, run, approve, report, settle, expectDryRunToAgree } = await expecting();
  const names = ['one', 'two', 'three'];
  for (const name of names) await report(name);
  await run(names);
  await settle();
  await pass(21);
  const killed = (at: number) => ({ ...api.services, table: killedAtWrite(api.services.table, at) });
  clock.advance(2 * MINUTE);
  for (let write = 1; write < 9; write += 1) {
    await orKilled(sweeps.sweep(killed(write)));
    await pass(1);
  }
  await Promise.all([sweeps.sweep(), sweeps.sweep()]);
  expect(artifacts(await gaps())).toEqual(['one open', 'three open', 'two open']);
  for (const name of ['one', 'two']) await approve(name);
  const items = await relay.changed();
  const { services } = relay;
  for (let write = 1; write < 20; write += 1) {
    Object.assign(relay.services, { table: killed(write).table });
    await relay.hand(items);
  }
  Object.assign(relay.services, services, { table: api.services.table });
  await Promise.all([relay.hand(items), relay.hand(items), sweeps.sweep()]);
  expect(artifacts(await gaps())).toEqual(['one closed arrived', 'three open', 'two closed arrived']);
  await approve('three');
  clock.advance(10 * MINUTE);
  await sweeps.makeUp();
  expect(artifacts(await gaps('state=open'))).toEqual([]);
  await expectDryRunToAgree('approved');
});

it('a start that comes into the list after it was due is found all the same', async () => {
  const { gaps, pass, run, approve, report, settle, expectDryRunToAgree } = await expecting({
    every: 'PT5M',
    grace: 'PT1M',
  });
  await report('met');
  await run(['late', 'met']);
  // Nobody expands the snapshot, while the sweeps go on.
  await pass(8);
  await approve('met');
  await pass(1);
  expect(await gaps()).toEqual([]);
  await settle();
  await pass(6);
  expect(artifacts(await gaps())).toEqual(['late open', 'met closed arrived']);
  await expectDryRunToAgree('approved');
});
