import { describe, expect, it } from 'vitest';
import { RelayMemory } from '#functions/relay/memory.ts';
import { sweepOrganization } from '#functions/relay/sweeps/visit-organizations.ts';
import { RELAY_USES } from '#functions/relay/uses.ts';
import { RELAY_LINES } from '#infra/constructs/log-lines.ts';
import type { AttestationId } from '#shared/base/ids.ts';
import { minus } from '#shared/base/time.ts';
import { evaluationsOf } from '#shared/evaluations/explain-decisions.ts';
import { findUnread } from '#shared/evidence/events/unread-attestations.ts';
import { momentKey } from '#shared/evidence/records/keys.ts';
import { FLOWS } from '#shared/evidence/rules/series-kinds.ts';
import { activityKey, seriesMonthsKey } from '#shared/series/keys.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import { monthsBetween } from '#shared/series/series-entries.ts';
import { setAsideList } from '#shared/sweeps/keys.ts';
import { SweepParts } from '#shared/sweeps/sweep-parts.ts';
import { type Setting, settingOf } from '#test/shared/environments/relayed-environments.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { environmentsApi, onServer, policyText } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import type { TestAnswer } from '#test/support/gateway.ts';
import { testName } from '#test/support/ids.ts';
import { recordingExpansions } from '#test/support/queue.ts';
import { npm, reportSbom, sbomOf } from '#test/support/records/reported-sboms.ts';

/** The stream brings nothing of what these tests do last: its records count as lost. */

const MINUTE = 60_000_000;
const api = await environmentsApi();
const { table, clock } = api.services;

/** Gives the organization turns of the sweep until nothing more is found. */
async function sweep(setting: Setting) {
  const { services } = setting.relay;
  const lines: { message: string; facts: Record<string, unknown> }[] = [];
  const log = (message: string, facts: Record<string, unknown>) => void lines.push({ message, facts });
  const isTime = () => true;
  const parts = new SweepParts(log, isTime);
  const context = () => ({ services, memory: new RelayMemory(), log, evaluationsOf, isTime, isTimeToSettle: isTime });
  const turn = () => sweepOrganization(context(), parts, setting.id);
  await heldTo('relay', RELAY_USES, async () => {
    while ((await turn()) === 'more');
  });
  expect(parts.failures).toEqual([]);
  return lines;
}

/** `api` of `web/run` runs in `prod`, whose policy `strict` is attached. Everything was evaluated two minutes ago. */
async function running(): Promise<Setting> {
  const setting = await settingOf(api);
  await setting.call('POST', `/controls/${setting.org}`, { json: { identifier: 'C-1', name: 'C-1' } });
  await setting.putPolicy('strict');
  await setting.attach('prod', 'strict');
  const report = () => setting.run('prod', onServer({ api: 'api' }));
  await report();
  await setting.relay.settle();
  await report();
  await setting.relay.settle();
  clock.advance(SETTLING_MICROS);
  await sweep(setting);
  await report();
  clock.advance(SETTLING_MICROS);
  expect(await needsEvaluation(setting)).toBe(false);
  return setting;
}

const unreadOf = async ({ id }: Setting, attestation: AttestationId) =>
  (await findUnread(table, id, [attestation])).length > 0;

async function needsEvaluation(setting: Setting): Promise<boolean> {
  const { mark, evaluatedMark } = await setting.head('prod');
  return mark > evaluatedMark;
}

describe('a sweep raises the mark that the stream did not raise', () => {
  const change = (setting: Setting, flow: string, json?: object) =>
    setting.call('PUT', `/flows/${setting.org}/${flow}`, json ? { json } : {});
  const about = { attestation_name: 'scan', artifact_fingerprint: fingerprintOf('api') };
  const strict = policyText('provenance: {required: true}', 'attestations:', '  - {type: decision, for_control: C-1}');
  const causes: [string, (setting: Setting) => Promise<TestAnswer>][] = [
    ['an attestation of a running artifact', (setting) => setting.attest('generic', about)],
    ['an attestation of its trail', (setting) => setting.attest('generic', { attestation_name: 'tests' })],
    ['another report of it', (setting) => setting.report(anArtifact('api'))],
    ['a version of an attached policy', (setting) => setting.putPolicy('strict', strict)],
    [
      'a version of a control that it names',
      (setting) => setting.call('PUT', `/controls/${setting.org}/C-1`, { json: { requires: { grade: 'signed' } } }),
    ],
    ['another name of its flow', (setting) => change(setting, 'web/rename', { new_name: 'net' })],
    ['archiving its flow', (setting) => change(setting, 'net/archive')],
  ];

  it('a sweep raises the lost mark of each cause once, after the change has settled', async () => {
    const setting = await running();
    for (const [name, cause] of causes) {
      expect([name, (await cause(setting)).status < 300]).toEqual([name, true]);
      await sweep(setting);
      expect([name, await needsEvaluation(setting)]).toEqual([name, false]);
      clock.advance(SETTLING_MICROS + MINUTE);
      await sweep(setting);
      expect([name, await needsEvaluation(setting)]).toEqual([name, true]);
      const { mark } = await setting.head('prod');
      await setting.run('prod', onServer({ api: 'api' }));
      clock.advance(MINUTE);
      await sweep(setting);
      expect([name, (await setting.head('prod')).mark]).toEqual([name, mark]);
      await setting.relay.settle();
      await setting.run('prod', onServer({ api: 'api' }));
      clock.advance(SETTLING_MICROS);
    }
  });

  it('but not if the environment was evaluated since, or if its mark waits for a report', async () => {
    const setting = await running();
    await setting.attest('generic', about);
    await setting.relay.settle();
    clock.advance(2 * MINUTE);
    const { mark } = await setting.head('prod');
    clock.advance(SETTLING_MICROS);
    await sweep(setting);
    expect(await setting.head('prod')).toMatchObject({ mark });
    await setting.attest('generic', about);
    clock.advance(2 * MINUTE);
    await setting.run('prod', onServer({ api: 'api' }));
    clock.advance(SETTLING_MICROS);
    await sweep(setting);
    expect(await setting.head('prod')).toMatchObject({ mark });
  });

  it('but not for evidence about artifacts that do not run', async () => {
    const setting = await running();
    await setting.attest('generic', { ...about, artifact_fingerprint: fingerprintOf('db') });
    clock.advance(SETTLING_MICROS + MINUTE);
    await sweep(setting);
    expect(await needsEvaluation(setting)).toBe(false);
  });
});

describe('a sweep', () => {
  it('stores the activity of flows and repositories, and the months of series', async () => {
    const setting = await settingOf(api);
    const flow = await setting.flowId('web');
    expect(await table.get(activityKey(setting.id, FLOWS.name, flow))).toBeUndefined();
    clock.advance(SETTLING_MICROS);
    await sweep(setting);
    expect(await table.get(activityKey(setting.id, FLOWS.name, flow))).toMatchObject({ state: 'COMPLIANT' });
    const [month] = monthsBetween(minus(clock.now(), SETTLING_MICROS), minus(clock.now(), SETTLING_MICROS));
    const series = ['trails', `trails:${flow}`, 'artifacts', 'builds', `trails-with:${fingerprintOf('api')}`];
    for (const one of series) {
      const item = await table.get(seriesMonthsKey(setting.id, one));
      expect([one, item?.['months']]).toEqual([one, new Set([month])]);
    }
  });

  it('sends attestations whose SBOMs were not read, and no others', async () => {
    const setting = await settingOf(api);
    const files = { attachment_file: sbomOf(npm('lost', '1.0.0')) };
    await reportSbom(setting, files.attachment_file);
    await setting.attest('generic', { attestation_name: 'other' }, { files });
    await setting.relay.settle();
    const lost = await reportSbom(setting, files.attachment_file, { trail: 'lost' });
    clock.advance(SETTLING_MICROS + MINUTE);
    expect(await unreadOf(setting, lost)).toBe(true);
    await sweep(setting);
    expect(await setting.relay.expand()).toBe(true);
    expect(await unreadOf(setting, lost)).toBe(false);
    const { queue, take } = recordingExpansions();
    setting.relay.services.expansions = queue;
    clock.advance(SETTLING_MICROS + MINUTE);
    await sweep(setting);
    expect(take()).toEqual([]);
  });

  it('sets an unreadable moment aside and handles those behind it', async () => {
    const setting = await settingOf(api, ['api']);
    await setting.begin({ name: 'second' });
    const flow = await setting.flowId('web');
    const key = momentKey(setting.id, flow, testName('run'), 1);
    const sound = await table.get(key);
    if (!sound) throw new Error('The trail has a first moment');
    await table.put({ ...sound, body: 'not JSON' });
    clock.advance(SETTLING_MICROS);
    const lines = await sweep(setting);
    expect(lines).toMatchObject([{ message: RELAY_LINES.setAside, facts: { ...key, error: 'SyntaxError' } }]);
    const second = (await table.get(momentKey(setting.id, flow, testName('second'), 1)))?.['at'];
    expect(await table.get(activityKey(setting.id, FLOWS.name, flow))).toMatchObject({ at: second });
    const aside = await table.query({ pk: setAsideList });
    expect(aside.map(({ item }) => item)).toContainEqual(key);
  });
});
