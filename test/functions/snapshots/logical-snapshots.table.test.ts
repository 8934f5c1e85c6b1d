import { describe, expect, it } from 'vitest';
import { onServer } from '#test/support/environments.ts';
import { anArtifact } from '#test/support/evidence.ts';
import { policyText } from '#test/support/policies.ts';
import { readingOrganization, snapshotsApi } from './snapshots-api.ts';

const api = await snapshotsApi();

/** The logical environment `all` of `one` and `two`, in which one artifact each runs. */
async function group(policies: string[] = []) {
  const acme = await readingOrganization(api);
  await acme.putPolicy('known', policyText('provenance: {required: true}'));
  for (const env of ['one', 'two']) await acme.putEnvironment(env);
  await acme.putEnvironment('all', 'logical', { included_environments: ['one', 'two'], policies });
  await acme.report(anArtifact('app'));
  const run = async (env: string, running: Record<string, string>) => {
    await acme.run(env, onServer(running));
    await acme.expand(env);
  };
  await run('one', { app: 'app' });
  await run('two', { stray: 'stray' });
  const rows = async (snappish = '-1') =>
    (await acme.snapshot('all', snappish)).artifacts.map(({ environment_name, name, annotation, compliant }) => [
      ...[environment_name, name, annotation.type, annotation.was, annotation.now, compliant],
    ]);
  return { acme, run, rows };
}

describe('a snapshot of a logical environment', () => {
  it('shows the rows of its members with their environment, and as changed only those of the member that changed', async () => {
    const { acme, run, rows } = await group();
    expect(await rows('1')).toEqual([['one', 'app', 'started', 0, 1, null]]);
    expect(await rows('2')).toEqual([
      ['two', 'stray', 'started', 0, 1, null],
      ['one', 'app', 'unchanged', 1, 1, null],
    ]);
    await run('two', { next: 'next' });
    expect(await rows()).toEqual([
      ['two', 'next', 'started', 0, 1, null],
      ['one', 'app', 'unchanged', 1, 1, null],
      ['two', 'stray', 'exited', 1, 0, null],
    ]);
    // An exited artifact is shown once.
    await run('one', { app: 'app', more: 'more' });
    expect(await rows()).toEqual([
      ['one', 'more', 'started', 0, 1, null],
      ['one', 'app', 'unchanged', 1, 1, null],
      ['two', 'next', 'unchanged', 1, 1, null],
    ]);
    const snapshot = await acme.snapshot('all');
    expect(snapshot).toMatchObject({ type: 'logical', index: 4, artifact_compliance_count: { null: 3 } });
    expect(await acme.indexes('all')).toEqual([4, 3, 2, 1]);
    expect(snapshot.artifacts[0]).toMatchObject({ flow_name: null });
    expect(snapshot.artifacts[1]).toMatchObject({ flow_name: 'web', flows: [{ trail_name: 'run' }] });
  });

  it('adds the decisions of its own policies to those of its members', async () => {
    const { acme, run } = await group(['known']);
    const verdicts = async () => {
      const { artifacts, compliant, applied_policies: policies } = await acme.snapshot('all');
      const rows = artifacts.map(({ name, compliant: verdict, policy_decisions }) => [
        ...[name, verdict, policy_decisions.map(({ policy_name, status }) => `${policy_name} ${status}`)],
      ]);
      return { compliant, policies: policies.map(({ name }) => name).sort(), rows: rows.sort() };
    };
    expect(await verdicts()).toEqual({
      compliant: false,
      policies: ['known'],
      rows: [
        ['app', true, ['known COMPLIANT']],
        ['stray', false, ['known NON-COMPLIANT']],
      ],
    });
    await acme.putPolicy('tested', policyText('attestations: [{type: junit, name: unit}]'));
    await acme.attach('one', 'tested');
    await acme.expand('one');
    await run('two', {});
    expect(await verdicts()).toMatchObject({
      compliant: false,
      policies: ['known', 'tested'],
      rows: expect.arrayContaining([['app', false, ['tested NON-COMPLIANT', 'known COMPLIANT']]]),
    });
  });

  it('is compared by the artifacts that run in any member', async () => {
    const { acme, run } = await group();
    await run('two', { app: 'app' });
    const { json } = await acme.diff('all#1', 'all');
    expect(json).toMatchObject({
      snappish1: { snapshot_id: 'all#1', artifacts: [] },
      snappish2: { snapshot_id: 'all#3', artifacts: [] },
      changed: { artifacts: [{ name: 'app', flow: 'web', s1_instance_count: 1, s2_instance_count: 2 }] },
    });
  });
});
