import { describe, expect, it } from 'vitest';
import { planNotices } from '#shared/notifications/erase-notices.ts';
import type { Trigger } from '#shared/notifications/rules/records.ts';
import { counted } from '#shared/table/meter.ts';
import { reasonsApi } from '#test/functions/snapshots/snapshots-api.ts';
import { type Setting, settingOf } from '#test/shared/environments/relayed-environments.ts';
import { onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { policyText } from '#test/support/policies.ts';
import { newAction, newNotification, webhookTarget } from '#test/support/records/notified.ts';
import { itemsOf } from '#test/support/relay.ts';

const api = await reasonsApi();
const { table } = api.services;
const APP = fingerprintOf('app');
const TESTS = {
  attestation_name: 'unit',
  artifact_fingerprint: APP,
  junit_results: [{ failures: 1, errors: 0, total: 4 }],
};

/** An organization whose flow actions have these triggers; nothing has happened to the artifact `app` in it. */
async function withAction(...triggers: Trigger[]): Promise<Setting> {
  const setting = await settingOf(api, ['app']);
  await newAction(api.services, setting.id, [webhookTarget('https://one.example/hook')], { triggers });
  return setting;
}

const reasons = async (setting: Setting) =>
  Object.fromEntries(
    (await setting.deliveries()).map(({ notice }) => [
      notice.attestation?.name ?? notice.artifact?.name ?? notice.eventType,
      notice.reason?.says ?? null,
    ]),
  );

describe('the reason of a message about a flow', () => {
  it('quotes what decided about an attestation that failed, and is absent for one that passed', async () => {
    const setting = await withAction('ON_ATTESTATION');
    await setting.attest('junit', TESTS);
    await setting.attest('generic', { attestation_name: 'lint', artifact_fingerprint: APP, is_compliant: true });
    await setting.attest('generic', { attestation_name: 'scan', artifact_fingerprint: APP, is_compliant: false });
    await setting.relay.settle();
    expect(await reasons(setting)).toEqual({
      unit: 'app fails unit: 1 of 4 tests failed in `unit` of run',
      // The trail has changed since, so nothing says why it was not compliant then.
      lint: null,
      scan: expect.stringMatching(/^app fails scan: \S+ reported `scan` of run as not compliant$/),
    });
  });

  it('quotes the trail where the event is compliant and the trail is not', async () => {
    const setting = await withAction('ON_ATTESTATION', 'ON_ATTESTED_PROVENANCE');
    await setting.attest('junit', TESTS);
    await setting.relay.settle();
    await setting.attest('generic', { attestation_name: 'lint', artifact_fingerprint: APP, is_compliant: true });
    await setting.relay.settle();
    await setting.report(anArtifact('db'));
    await setting.relay.settle();
    expect(await reasons(setting)).toEqual({
      unit: expect.anything(),
      lint: 'run fails unit: 1 of 4 tests failed in `unit` of run',
      'registry.example/db:1.0': 'run fails unit: 1 of 4 tests failed in `unit` of run',
    });
  });

  it('is absent, and the message is sent all the same, if the evidence cannot be read', async () => {
    const setting = await withAction('ON_ATTESTATION');
    await setting.attest('junit', TESTS);
    const { relay, id } = setting;
    const [record] = (await itemsOf(table.name, id)).filter(({ pk }) => pk.includes('#ATTESTATION#'));
    if (!record) throw new Error('The attestation is stored');
    await table.putMany([{ ...record, compliant: 'perhaps' }]);
    await relay.settle();
    expect(await reasons(setting)).toEqual({ unit: null });
    expect(relay.take()).toHaveLength(1);
    expect(relay.logged).toMatchObject([
      { message: 'The reasons of messages could not be worked out; the messages have none' },
    ]);
  });

  it('costs a batch of events at most three reads more, however many attestations failed', async () => {
    const setting = await withAction('ON_ATTESTATION');
    const costOf = async () => {
      const count = { calls: 0, sequential: 0, log: [] as { name: string; depth: number }[] };
      const items = await setting.relay.changed();
      await counted(() => setting.relay.hand(items), count);
      return count.log.filter(({ name }) => name.includes('Get') || name.includes('Query')).length;
    };
    await setting.relay.settle();
    await setting.attest('generic', { attestation_name: 'lint', artifact_fingerprint: APP, is_compliant: true });
    const without = await costOf();
    for (let i = 0; i < 12; i += 1) await setting.attest('junit', { ...TESTS, attestation_name: `unit-${i}` });
    expect((await costOf()) - without).toBeLessThanOrEqual(3);
  });
});

describe('the reason of a message about an environment', () => {
  it('says what the page of the snapshot says, for the change of state and for what started', async () => {
    const setting = await settingOf(api, ['app', 'db']);
    await newNotification(api.services, setting.id, [await setting.environmentId('prod')]);
    await setting.putPolicy('strict', policyText('trail-compliance: {required: true}'));
    await setting.attach('prod', 'strict');
    await setting.run('prod', onServer({ 'registry.example/team/db': 'db' }));
    await setting.relay.settle();
    await setting.attest('junit', TESTS);
    await setting.run(
      'prod',
      onServer({ 'registry.example/team/db': 'db', 'registry.example/team/app:1': 'app', rogue: 'rogue' }),
    );
    await setting.relay.settle();
    const sent = Object.fromEntries(
      (await setting.deliveries()).map(({ notice: { eventType, artifact, reason } }) => [
        `${eventType} ${artifact?.name ?? ''}`,
        reason?.says ?? null,
      ]),
    );
    expect(sent).toEqual({
      'ARTIFACT_STARTED registry.example/team/db': null,
      'ARTIFACT_STARTED registry.example/team/app:1': 'app:1 fails unit: 1 of 4 tests failed in `unit` of run',
      'ARTIFACT_STARTED rogue': 'no flow has a report of the artifact, and strict v1 asks for one',
      'ENV_NON_COMPLIANT ': expect.stringMatching(/; 1 other artifact is not compliant either$/),
    });
  });
});

describe('an erasure', () => {
  it('removes the reasons that quote the attestation, and no others', async () => {
    const setting = await withAction('ON_ATTESTATION');
    const { id } = (await setting.attest('junit', TESTS)).json as { id: string };
    await setting.attest('junit', { ...TESTS, attestation_name: 'other' });
    await setting.relay.settle();
    const [first] = await setting.deliveries();
    const attestation = first?.notice.attestation?.id ?? id;
    const since = first?.notice.at ?? api.services.clock.now();
    const { writes } = await planNotices(table, setting.id, { attestation }, since, api.services.clock.now());
    expect(writes).toHaveLength(1);
    expect(await table.transact(writes)).toBe('done');
    const kept = await setting.deliveries();
    expect(kept.map(({ notice }) => [notice.attestation?.id === attestation, notice.reason !== undefined])).toEqual([
      [true, false],
      [false, true],
    ]);
    const again = await planNotices(table, setting.id, { attestation }, since, api.services.clock.now());
    expect(again.writes).toEqual([]);
  });
});
