import { describe, expect, it } from 'vitest';
import { micros, toSeconds } from '#shared/base/time.ts';
import { describeAccess } from '#test/support/access.ts';
import { onServer } from '#test/support/environments.ts';
import { aCommit, anArtifact, fingerprintOf, ID, isTime, shaOf } from '#test/support/evidence.ts';
import { policyText } from '#test/support/policies.ts';
import { readingOrganization, snapshotsApi } from './snapshots-api.ts';

const api = await snapshotsApi();
const HOST = 'https://api.example';
const STARTED = 1_776_300_000;
const PROVENANCE = policyText('provenance: {required: true}');

/** An organization with the environment `prod`. */
const setup = async (type = 'server') => {
  const acme = await readingOrganization(api);
  await acme.putEnvironment('prod', type);
  return acme;
};

describe('GET /snapshots/{org}/{env_name}/{snappish}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/snapshots/${org}/prod/-1`, needs: 'reader' });

  it('shows every documented field', async () => {
    const acme = await setup();
    await acme.putPolicy('known', PROVENANCE);
    await acme.attach('prod', 'known');
    await acme.report(anArtifact('app'));
    await acme.attest('generic', {
      attestation_name: 'scan',
      artifact_fingerprint: fingerprintOf('app'),
      is_compliant: false,
    });
    await acme.run('prod', onServer({ '/opt/app': 'app' }, STARTED));
    const { at } = (await acme.snapshots('prod'))[0] ?? { at: 0 };
    const decision = {
      policy_name: 'known',
      policy_version: 1,
      status: 'COMPLIANT',
      rule_evaluations: [
        {
          rule: { type: 'provenance', definition: { required: true, exceptions: [] } },
          satisfied: true,
          ignored: false,
          resolutions: [
            { type: 'rule_satisfied', context: { flow_name: 'web', trail_name: 'run', artifact_status: null } },
          ],
        },
        {
          rule: { type: 'trail-compliance', definition: { required: false, exceptions: [] } },
          satisfied: null,
          ignored: true,
          resolutions: [
            {
              type: 'rule_not_applicable',
              context: { flow_name: 'web', trail_name: 'run', artifact_status: 'NON-COMPLIANT' },
            },
          ],
        },
      ],
    };
    const commit = aCommit('c');
    const provenance = {
      flow_name: 'web',
      git_commit: shaOf('c'),
      commit_url: commit.url,
      html_url: expect.stringMatching(
        new RegExp(`^${HOST}/${acme.org}/flows/web/artifacts/${fingerprintOf('app')}\\?artifact_id=[a-f0-9-]{32}$`),
      ),
      flow_html_url: `${HOST}/${acme.org}/flows/web`,
      deployment_diff: null,
      commit_lead_time: STARTED - commit.timestamp,
    };
    expect(await acme.snapshot('prod')).toEqual({
      index: 1,
      is_latest: true,
      next_snapshot_timestamp: null,
      timestamp: toSeconds(micros(at)),
      type: 'server',
      compliant: true,
      state: true,
      state_reason: null,
      artifact_compliance_count: { true: 1, false: 0, null: 0 },
      html_url: `${HOST}/${acme.org}/environments/prod/snapshots/1`,
      identity: null,
      artifacts: [
        {
          name: '/opt/app',
          fingerprint: fingerprintOf('app'),
          compliant: true,
          deployments: [],
          creationTimestamp: [STARTED],
          pods: null,
          azure_context: null,
          cloud_run_context: null,
          annotation: { type: 'started-compliant', was: 0, now: 1 },
          ...provenance,
          policy_decisions: [decision],
          reasons_for_incompliance: [],
          flows: [
            {
              ...provenance,
              trail_name: 'run',
              template_reference_name: 'app',
              artifact_compliance_in_flow: false,
              flow_reasons_for_non_compliance: ["Attestation 'scan' of type 'generic' is non-compliant"],
              git_commit_info: commit,
            },
          ],
        },
      ],
      applied_policies: [
        {
          id: expect.stringMatching(ID),
          name: 'known',
          version: 1,
          failing_artifacts: [],
          policy_dump: {
            schema_version: '1',
            artifacts: {
              provenance: { required: true, exceptions: [] },
              trail_compliance: { required: false, exceptions: [] },
              attestations: [],
            },
          },
        },
      ],
    });
    expect((await acme.snapshot('prod')).timestamp).toSatisfy(isTime);
  });

  it('shows exited artifacts in the snapshot of their exit only, and neither counts nor evaluates them', async () => {
    const acme = await setup();
    await acme.putPolicy('known', PROVENANCE);
    await acme.attach('prod', 'known');
    await acme.report(anArtifact('app'));
    await acme.run('prod', onServer({ app: 'app', stray: 'stray' }));
    await acme.run('prod', onServer({ app: 'app' }));
    const shown = async (snappish: string) => {
      const { artifacts, compliant, artifact_compliance_count: count } = await acme.snapshot('prod', snappish);
      return {
        compliant,
        count,
        rows: artifacts.map(({ name, annotation: { type, was, now } }) => [name, type, was, now]),
      };
    };
    expect(await shown('1')).toEqual({
      compliant: false,
      count: { true: 1, false: 1, null: 0 },
      rows: expect.arrayContaining([
        ['app', 'started-compliant', 0, 1],
        ['stray', 'started-non-compliant', 0, 1],
      ]),
    });
    expect(await shown('2')).toEqual({
      compliant: true,
      count: { true: 1, false: 0, null: 0 },
      rows: [
        ['app', 'unchanged', 1, 1],
        ['stray', 'exited', 1, 0],
      ],
    });
    await acme.run('prod', onServer({}));
    expect((await shown('-1')).rows).toEqual([['app', 'exited', 1, 0]]);
  });

  it('shows unknown verdicts without policies, and empty fields without provenance', async () => {
    const acme = await setup();
    await acme.run('prod', onServer({ app: 'unknown' }));
    const snapshot = await acme.snapshot('prod');
    expect(snapshot).toMatchObject({
      compliant: false,
      state: null,
      artifact_compliance_count: { true: 0, false: 0, null: 1 },
      applied_policies: [],
      artifacts: [
        {
          compliant: null,
          annotation: { type: 'started' },
          flows: [],
          policy_decisions: [],
          git_commit: '',
          flow_name: null,
          commit_url: null,
          html_url: null,
          flow_html_url: null,
          commit_lead_time: null,
          deployment_diff: null,
          reasons_for_incompliance: [],
        },
      ],
    });
  });

  it('shows the reasons of a failed artifact and the policies that it fails, but no allow-listed artifact', async () => {
    const acme = await setup();
    await acme.putPolicy(
      'strict',
      policyText('provenance: {required: true}', 'attestations: [{type: junit, name: unit}]'),
    );
    await acme.putPolicy('open', policyText());
    await acme.attach('prod', 'strict', 'open');
    await acme.allow('prod', 'trusted');
    await acme.run('prod', onServer({ stray: 'stray', trusted: 'trusted' }));
    const { artifacts, applied_policies: policies } = await acme.snapshot('prod');
    const [stray, trusted] = ['stray', 'trusted'].map((name) => artifacts.find((artifact) => artifact.name === name));
    expect(stray?.reasons_for_incompliance).toEqual([
      "Policy 'strict' version 1: no flow knows the artifact",
      "Policy 'strict' version 1: an attestation 'unit' of type 'junit' is missing",
    ]);
    expect(trusted).toMatchObject({ compliant: true, reasons_for_incompliance: [] });
    expect(trusted?.policy_decisions.find((one) => one.policy_name === 'strict')?.status).toBe('NON-COMPLIANT');
    const failing = new Map(policies.map(({ name, failing_artifacts }) => [name, failing_artifacts]));
    expect(failing.get('strict')).toEqual([{ name: 'stray', fingerprint: fingerprintOf('stray') }]);
    expect(failing.get('open')).toEqual([]);
    const ids = policies.map((policy) => (policy as unknown as { id: string }).id);
    expect(ids).toEqual(ids.toSorted());
  });

  it('shows the artifact that was replaced', async () => {
    const acme = await setup();
    const url = (name: string) => `https://git.example/acme/web/commit/${shaOf(name)}`;
    const build = (name: string, trail: string) =>
      acme.report(
        anArtifact('app', {
          fingerprint: fingerprintOf(name),
          git_commit: shaOf(name),
          git_commit_info: aCommit(name),
          commit_url: url(name),
          trail_name: trail,
        }),
      );
    await build('one', 'first');
    await build('two', 'second');
    await acme.run('prod', onServer({ app: 'one' }));
    await acme.run('prod', onServer({ app: 'two' }));
    const { artifacts } = await acme.snapshot('prod');
    const started = artifacts.find(({ annotation }) => annotation.now > 0);
    const diff = {
      diff_url: `https://git.example/acme/web/compare/${shaOf('one')}...${shaOf('two')}`,
      previous_git_commit: shaOf('one'),
      previous_git_commit_url: url('one'),
      previous_running: false,
      previous_fingerprint: fingerprintOf('one'),
      previous_artifact_name: 'app',
      previous_trail_name: 'first',
      previous_artifact_compliance_state: null,
      previous_template_reference_name: 'app',
    };
    expect(started).toMatchObject({
      fingerprint: fingerprintOf('two'),
      deployment_diff: diff,
      flows: [{ deployment_diff: diff }],
    });
  });

  it('lists every flow of an artifact, in the order of the first reports', async () => {
    const acme = await setup();
    await acme.report(anArtifact('app'), { flow: 'build', trail: 'b1' });
    await acme.report(anArtifact('app', { git_commit: shaOf('other'), git_commit_info: undefined }), { flow: 'test' });
    await acme.run('prod', onServer({ app: 'app' }));
    const [artifact] = (await acme.snapshot('prod')).artifacts;
    expect(artifact).toMatchObject({ flow_name: 'build', git_commit: shaOf('c') });
    expect(artifact?.flows).toMatchObject([
      { flow_name: 'build', trail_name: 'b1', commit_lead_time: expect.any(Number) },
      { flow_name: 'test', git_commit: shaOf('other'), git_commit_info: null, commit_lead_time: null },
    ]);
  });

  it.each([
    [
      'K8S',
      { podName: 'p1', namespace: 'n', owners: null },
      { pods: { p1: { namespace: 'n', creationTimestamp: STARTED, owners: [] } } },
    ],
    [
      'ECS',
      { taskArn: 't', cluster_name: 'c' },
      { pods: null, ecs_context: { task_arn: 't', cluster_name: 'c', service_name: null } },
    ],
    [
      'azure-apps',
      { app_name: 'a', app_kind: 'k', digests_source: 'acr' },
      { azure_context: { app_name: 'a', app_kind: 'k', digests_source: 'acr' } },
    ],
    [
      'cloud-run',
      { kind: 'job', jobName: 'j' },
      { cloud_run_context: { kind: 'job', service_name: null, revision_name: null, job_name: 'j' } },
    ],
  ])('shows where an artifact runs: %s', async (kind, where, shown) => {
    const acme = await setup(kind);
    const item = { digests: { app: fingerprintOf('app') }, creationTimestamp: STARTED, ...where };
    const { status } = await acme.run('prod', { artifacts: [item] }, { kind });
    expect(status).toBe(201);
    const snapshot = await acme.snapshot('prod');
    expect(snapshot).toMatchObject({ type: kind, artifacts: [shown] });
  });
});
