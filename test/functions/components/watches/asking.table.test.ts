import { describe, expect, it } from 'vitest';
import { RelayMemory } from '#functions/relay/memory.ts';
import { sweepOrganization } from '#functions/relay/sweeps/visit-organizations.ts';
import { RELAY_USES } from '#functions/relay/uses.ts';
import { type AttestationId, newId } from '#shared/base/ids.ts';
import { evaluationsOf } from '#shared/evaluations/explain-decisions.ts';
import { slotProof } from '#shared/evidence/rules/slot-proof.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import { SweepParts } from '#shared/sweeps/sweep-parts.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { type IndexedSbom, indexSbom } from '#test/support/records/indexed-sboms.ts';
import { aVerification } from '#test/support/records/signed-evidence.ts';
import { type Fault, faultyTable } from '#test/support/table/faults.ts';
import { OLD_LODASH, watchApi, watchingOrganization } from './watch-api.ts';

/** Which questions watches ask, and who is told (rules/watches.md). */

const api = await watchApi();
const { clock, table } = api.services;
type Watching = Awaited<ReturnType<typeof watchingOrganization>>;

/** Visits an organization, as the sweep does, and lets the expander work on what the visit asked for. */
async function visit({ id, relay }: Watching) {
  const isTime = () => true;
  const log = () => {};
  const parts = new SweepParts(log, isTime);
  const context = { services: relay.services, memory: new RelayMemory(), log, evaluationsOf, isTime };
  await heldTo('relay', RELAY_USES, () => sweepOrganization({ ...context, isTimeToSettle: isTime }, parts, id));
  expect(parts.failures).toEqual([]);
  await relay.expand();
}

const RUN = 'https://ci.example/runs/7';

/** An SBOM with an old lodash, signed in {@link RUN}. */
async function signedBuild({ org, get }: Watching, trail: string) {
  const { id: flow } = (await get(`/flows/${org}/web`)).json as { id: IndexedSbom['flow'] };
  const at = clock.now();
  return {
    ...{ id: newId<AttestationId>(at), flow, trail, at, number: 2, holds: ['pkg:npm/lodash@4.17.20'] },
    scopes: [{ kind: 'fingerprint' as const, fingerprint: fingerprintOf(trail) }],
    proof: slotProof({ verification: aVerification({ run: RUN }) }),
  };
}

/** A table for a process that is killed while it stores its `at`-th match. */
function killedAtMatch(at: number, how: Fault) {
  let left = at;
  return faultyTable(table, ({ command, input }) => {
    const isMatch = command === 'TransactWrite' && JSON.stringify(input).includes('#WATCH#MATCHES');
    if (left > 0 && isMatch) left -= 1;
    else if (left > 0 || !command.includes('Write')) return undefined;
    return left > 0 ? undefined : how;
  });
}

describe('a watch', () => {
  it('asks what is in the index, each new SBOM and each start, and tells once of each', async () => {
    const acme = await watchingOrganization(api);
    await acme.build('safe', '4.17.21');
    await acme.run('prod', onServer({ safe: 'safe' }));
    await acme.relay.settle();
    expect((await acme.watch('lodash', { ...OLD_LODASH, vulnerability: 'CVE-2020-8203' })).status).toBe(201);
    await acme.relay.settle();
    expect(await acme.watched('lodash')).toMatchObject({ asked_at: expect.any(Number), matched_at: null });
    await acme.build('one');
    await acme.relay.settle();
    expect(await acme.toldOf('lodash')).toEqual(['web']);
    await acme.run('prod', onServer({ safe: 'safe', one: 'one' }));
    await acme.relay.settle();
    await acme.build('two');
    await acme.run('prod', onServer({ one: 'one', two: 'two' }));
    await acme.run('stage', onServer({ two: 'two' }));
    await acme.relay.settle();
    expect(await acme.toldOf('lodash')).toEqual(['web', 'prod', 'stage']);
    const [first] = await acme.told(1);
    expect(first).toMatchObject({
      event_type: 'EXPOSURE_FOUND',
      description:
        "Watch 'lodash' (CVE-2020-8203) matches for the first time: trail 'one' of flow 'web' has an SBOM with pkg:npm/lodash vers:npm/<4.17.21",
      exposure: { ...OLD_LODASH, watch: 'lodash', match: 'first', vulnerability: 'CVE-2020-8203' },
    });
    const [inProd] = await acme.told(2);
    expect(inProd).toMatchObject({
      environment: 'prod',
      artifact: { name: 'one' },
      exposure: { match: 'environment' },
    });
    expect(await acme.audited('watch.matched')).toHaveLength(3);
    const explained = async (query: string) => {
      const { status, json } = await acme.get(`/deliveries/${acme.org}/explain`, `watch=lodash&${query}`);
      const { actions = [] } = json as { actions?: { mismatch: string | null }[] };
      return [status, ...actions.map(({ mismatch }) => mismatch)];
    };
    expect(await explained('trigger=ON_EXPOSURE')).toEqual([200, null, 'flow']);
    expect(await explained('trigger=ON_EXPOSURE&environment=stage')).toEqual([200, 'environment', null]);
    expect(await explained('trigger=ON_EXPOSURE&environment=nowhere')).toEqual([404]);
    expect(await explained('trigger=ON_EXITED_ARTIFACT')).toEqual([404]);
    expect(await explained('snapshot=1')).toEqual([400]);
  });

  it('matches what there is when it is made, and a component in any version', async () => {
    const acme = await watchingOrganization(api);
    await acme.build('one');
    await acme.build('two', '4.17.21');
    await acme.run('prod', onServer({ one: 'one' }));
    await acme.relay.settle();
    await acme.watch('old');
    await acme.watch('all', { purl: 'pkg:npm/lodash', versions: 'vers:npm/*' });
    await acme.watch('none', { purl: 'pkg:npm/lodash@1.0.0' });
    await acme.relay.settle();
    expect(await acme.toldOf('old')).toEqual(['web', 'prod']);
    expect(await acme.toldOf('all')).toEqual(['web', 'prod']);
    expect(await acme.toldOf('none')).toEqual([]);
  });

  it('does not match what a recall matches, nor an SBOM that a newer one has replaced', async () => {
    const acme = await watchingOrganization(api);
    await acme.build('one');
    await acme.build('one', '4.17.21');
    await acme.report(anArtifact('signed'), { trail: 'signed' });
    await indexSbom(api.services, acme.id, await signedBuild(acme, 'signed'));
    await acme.run('prod', onServer({ one: 'one', signed: 'signed' }));
    await acme.relay.settle();
    const target = { run: RUN, reason: 'the runner was taken over' };
    expect((await acme.call('PUT', `/recalls/${acme.org}/leak`, { json: target })).status).toBe(201);
    await acme.watch('lodash');
    await acme.relay.settle();
    expect(await acme.watched('lodash')).toMatchObject({ asked_at: expect.any(Number), matched_at: null });
    await acme.call('DELETE', `/recalls/${acme.org}/leak`);
    await acme.watch('again');
    await acme.relay.settle();
    expect(await acme.toldOf('again')).toEqual(['web', 'prod']);
  });

  it('is asked by the visit if the stream lost it, and again after a day', async () => {
    const acme = await watchingOrganization(api);
    await acme.build('one');
    await acme.relay.settle();
    await acme.watch('lodash');
    await acme.relay.changed();
    clock.advance(SETTLING_MICROS + 1_000_000);
    await visit(acme);
    const { asked_at: asked, matched_at: matched } = await acme.watched('lodash');
    expect([asked, matched]).toEqual([expect.any(Number), expect.any(Number)]);
    // The stream lost the match too.
    await acme.relay.changed();
    clock.advance(SETTLING_MICROS + 1_000_000);
    await visit(acme);
    await visit(acme);
    expect(await acme.toldOf('lodash')).toEqual(['web']);
    expect(await acme.watched('lodash')).toMatchObject({ asked_at: asked });
    clock.advance(24 * 3_600_000_000);
    await visit(acme);
    const { asked_at: later } = await acme.watched('lodash');
    expect(later).toBeGreaterThan(asked ?? 0);
  });

  it.each(['timeout-before', 'timeout-after'] as const)(
    'tells once if the worker is killed with a %s while it records',
    async (how) => {
      const acme = await watchingOrganization(api);
      for (const at of [1, 2]) {
        const name = `part-${at}`;
        await acme.watch(name, { purl: `pkg:npm/of-${name}`, versions: 'vers:npm/*' });
        await acme.relay.settle();
        await acme.build(name);
        await acme.run('prod', onServer({ [name]: name }));
        const changed = await acme.relay.changed();
        acme.relay.services.table = killedAtMatch(at, how);
        expect(await acme.relay.hand(changed)).toBe(false);
        acme.relay.services.table = table;
        // The queue brings again what failed, and the stream too.
        acme.relay.restart();
        expect(await acme.relay.hand(changed)).toBe(true);
        await acme.relay.settle();
        expect(await acme.toldOf(name)).toEqual(['web', 'prod']);
      }
      expect(await acme.audited('watch.matched')).toHaveLength(4);
    },
  );

  it('matches nothing after it was deleted, also if it is being asked', async () => {
    const acme = await watchingOrganization(api);
    await acme.watch('lodash');
    const created = await acme.relay.changed();
    await acme.call('DELETE', `/watches/${acme.org}/lodash`);
    await acme.build('one');
    await acme.relay.hand(created);
    await acme.relay.settle();
    expect(await acme.audited('watch.matched')).toEqual([]);
    // Another watch with the name has matches of its own.
    await acme.watch('lodash');
    await acme.relay.settle();
    expect(await acme.toldOf('lodash')).toEqual(['web']);
  });
});
