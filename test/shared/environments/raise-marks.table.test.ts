import { describe, expect, it } from 'vitest';
import { storedKey } from '#shared/table/keys.ts';
import { environmentsApi, onServer, policyText } from '#test/support/environments.ts';
import { aCommit, anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import type { TestAnswer } from '#test/support/gateway.ts';
import { type Setting, settingOf } from './relayed-environments.ts';

const api = await environmentsApi();
const { table } = api.services;

/** `api` of `web/run` runs in `prod`, and everything is evaluated. */
async function running(): Promise<Setting> {
  const setting = await settingOf(api);
  await setting.putEnvironment('test');
  await setting.run('prod', onServer({ api: 'api' }));
  await setting.run('test', onServer({ other: 'other' }));
  await setting.relay.settle();
  await setting.run('prod', onServer({ api: 'api' }));
  await setting.run('test', onServer({ other: 'other' }));
  await setting.relay.settle();
  return setting;
}

/** Counts how often the marks of `prod` and `test` rise because of the work. */
async function raisedBy(setting: Setting, work: () => Promise<unknown>): Promise<[number, number]> {
  const marks = async () => [(await setting.head('prod')).mark, (await setting.head('test')).mark] as const;
  const before = await marks();
  await work();
  await setting.relay.settle();
  const after = await marks();
  return [after[0] - before[0], after[1] - before[1]];
}

describe('the mark of an environment', () => {
  it('rises by evidence about a running artifact, once per batch', async () => {
    const setting = await running();
    const about = { artifact_fingerprint: fingerprintOf('api') };
    const works: [string, () => Promise<TestAnswer>][] = [
      ['an attestation of the artifact', () => setting.attest('generic', { attestation_name: 'scan', ...about })],
      ['an attestation of its trail', () => setting.attest('generic', { attestation_name: 'tests' })],
      ['another report of it', () => setting.report(anArtifact('api'))],
      ['a report of it in another flow', () => setting.report(anArtifact('api'), { flow: 'other', trail: 'first' })],
      [
        'an override',
        () =>
          setting.attest('override', {
            attestation_name: 'tests',
            reason: 'r',
            new_compliance_status: false,
            original_attestation_type: 'generic',
          }),
      ],
      [
        'an attestation by name and commit',
        () =>
          setting.attest('generic', {
            attestation_name: 'lint',
            target_artifacts: ['api'],
            git_commit_info: aCommit('c'),
          }),
      ],
      ['a template of the trail', () => setting.begin({}, { template: 'version: 1' })],
      [
        'a decision',
        () =>
          setting.attest('system', {
            attestation_name: 'decision',
            type_name: 'decision',
            control: 'C-1',
            ...about,
            attestation_data: { is_compliant: true },
          }),
      ],
      [
        'a decision about its trail',
        () =>
          setting.attest('system', {
            attestation_name: 'decision',
            type_name: 'decision',
            control: 'C-1',
            attestation_data: { is_compliant: true },
          }),
      ],
    ];
    for (const [name, work] of works) {
      const sound = async () => expect([name, (await work()).status < 300]).toEqual([name, true]);
      expect([name, await raisedBy(setting, sound)]).toEqual([name, [1, 0]]);
    }
    const all = async () => {
      for (let i = 0; i < 5; i += 1) await setting.attest('generic', { attestation_name: `c-${i}`, ...about });
    };
    expect(await raisedBy(setting, all)).toEqual([1, 0]);
  });

  it('rises by a template that comes into force with evidence about another artifact of the trail', async () => {
    const setting = await running();
    const template = 'version: 1\ntrail:\n  attestations:\n    - {name: tests, type: generic}\n';
    expect(await raisedBy(setting, () => setting.putFlow('web', template))).toEqual([1, 0]);
    // No container can know the head before, so every write of the head raises the mark.
    expect(await raisedBy(setting, () => setting.putFlow('web', `${template}# again\n`))).toEqual([1, 0]);
    expect(await raisedBy(setting, () => setting.putFlow('web', `${template}# again\n`))).toEqual([0, 0]);
    const other = { attestation_name: 'scan', artifact_fingerprint: fingerprintOf('db') };
    expect(await raisedBy(setting, () => setting.attest('generic', other))).toEqual([1, 0]);
    expect(await raisedBy(setting, () => setting.attest('generic', other))).toEqual([0, 0]);
  });

  it('does not rise by evidence about artifacts that do not run or no longer run', async () => {
    const setting = await running();
    const db = { attestation_name: 'scan', artifact_fingerprint: fingerprintOf('db') };
    expect(await raisedBy(setting, () => setting.attest('generic', db))).toEqual([0, 0]);
    expect(
      await raisedBy(setting, () => setting.attest('generic', { attestation_name: 'x' }, { trail: 'new' })),
    ).toEqual([0, 0]);
    expect(await raisedBy(setting, () => setting.begin({ description: 'changed' }))).toEqual([0, 0]);
    await setting.run('prod', onServer({}));
    await setting.relay.settle();
    const scan = { attestation_name: 'scan', artifact_fingerprint: fingerprintOf('api') };
    expect(await raisedBy(setting, () => setting.attest('generic', scan))).toEqual([0, 0]);
  });

  it('rises only by a new version of an attached policy, not of others', async () => {
    const setting = await running();
    await setting.putPolicy('strict');
    await setting.putPolicy('loose', policyText());
    await setting.attach('prod', 'strict');
    await setting.relay.settle();
    const version = (name: string) => () => setting.putPolicy(name, policyText('provenance: {required: true}'));
    expect(await raisedBy(setting, version('strict'))).toEqual([1, 0]);
    expect(await raisedBy(setting, version('strict'))).toEqual([0, 0]);
    expect(await raisedBy(setting, version('loose'))).toEqual([0, 0]);
  });

  it('rises by a new version of a control that an attached policy names, not of others', async () => {
    const setting = await running();
    const control = (method: string, path: string, json: unknown) => () =>
      setting.call(method, `/controls/${setting.org}${path}`, { json });
    for (const identifier of ['C-1', 'C-2']) await control('POST', '', { identifier, name: identifier })();
    await setting.putPolicy('strict', policyText('attestations:', '  - {type: decision, for_control: C-1}'));
    await setting.attach('prod', 'strict');
    await setting.relay.settle();
    const requires = { flows: ['web'] };
    expect(await raisedBy(setting, control('PUT', '/C-1', { requires }))).toEqual([1, 0]);
    expect(await raisedBy(setting, control('PUT', '/C-1', { requires }))).toEqual([0, 0]);
    expect(await raisedBy(setting, control('PUT', '/C-2', { requires }))).toEqual([0, 0]);
  });

  it('rises by renaming, archiving and tagging a flow, whichever container handles the batch', async () => {
    const setting = await running();
    const rename = (name: string, to: string) => () =>
      setting.call('PUT', `/flows/${setting.org}/${name}/rename`, { json: { new_name: to } });
    expect(await raisedBy(setting, rename('web', 'net'))).toEqual([1, 0]);
    expect(await raisedBy(setting, rename('net', 'web'))).toEqual([1, 0]);
    const flow = await setting.flowId('web');
    const tags = { ...storedKey(`${setting.id}#FLOW#${flow}`, 'TAGS'), v: 1, tags: { team: 'core' } };
    expect(await raisedBy(setting, () => table.put(tags))).toEqual([1, 0]);
  });
});
