import { describe, expect, test } from 'vitest';
import type { AttestationId, EnvironmentId, FlowId, OrganizationId, TrailId } from '#shared/base/ids.ts';
import { type TrailEvent, trailEventOut } from '#shared/evidence/rules/events.ts';
import { NO_TRAIL_FIELDS } from '#shared/evidence/rules/trail-report.ts';
import { MOMENT_KINDS } from '#shared/evidence/rules/trail-state.ts';
import { testId } from '#test/support/ids.ts';
import { COMMIT_C, FP_1, secondsIn } from './trails.ts';

const common = {
  at: secondsIn(0) + 250_000,
  organization: testId<OrganizationId>('o'),
  flow: testId<FlowId>('f'),
  trail: testId<TrailId>('t'),
  commit: { sha1: COMMIT_C, message: 'm', author: 'a', timestamp: 1, branch: '' },
  repo: {
    inner_id: 'i',
    repo_id: 'x',
    name: 'o/r',
    url: 'https://git.example/o/r',
    provider: null,
    description: null,
    created_at: secondsIn(0),
    last_modified_at: secondsIn(1),
  },
};
const fields = { ...NO_TRAIL_FIELDS, description: '', user_data: '{"a":1}' };
const attestation = { name: 'scan', type: 'snyk', id: testId<AttestationId>('a'), compliant: false };
const attested = {
  attestation_type: 'snyk',
  attestation_id: 'a',
  template_reference_name: 'scan',
  is_compliant: false,
};
const running = {
  fingerprint: FP_1,
  templateName: 'cli',
  environment: { id: testId<EnvironmentId>('e'), name: 'prod' },
  snapshot: 3,
};
const ran = {
  artifact_fingerprint: FP_1,
  template_reference_name: 'cli',
  environment_id: 'e',
  environment_name: 'prod',
  snapshot_index: 3,
};

const cases: [TrailEvent, Record<string, unknown>][] = [
  [
    { ...common, kind: 'trail_reported', user: testId('u'), trailName: 'build-1', fields },
    { setting_user_id: 'u', trail_data_json: { name: 'build-1', description: '', user_data: '{"a":1}' } },
  ],
  [
    { ...common, kind: 'trail_updated', user: testId('u'), trailName: 'build-1', fields, changes: ['template'] },
    {
      setting_user_id: 'u',
      trail_data_json: { name: 'build-1', description: '', user_data: '{"a":1}' },
      changes: ['template'],
    },
  ],
  [{ ...common, kind: 'trail_attestation_reported', attestation }, attested],
  [
    { ...common, kind: 'trail_attestation_for_artifact_reported', attestation, target: 'cli' },
    { ...attested, target_artifact: 'cli' },
  ],
  [
    {
      ...common,
      kind: 'artifact_attestation_reported',
      attestation,
      fingerprint: FP_1,
      filename: 'app:1',
      target: 'cli',
    },
    { ...attested, artifact_fingerprint: FP_1, artifact_name: 'app:1', target_artifact: 'cli' },
  ],
  [
    {
      ...common,
      kind: 'artifact_creation_reported',
      fingerprint: FP_1,
      filename: 'app:1',
      artifact: 'b',
      templateName: 'cli',
      gitCommit: COMMIT_C,
    },
    {
      artifact_fingerprint: FP_1,
      artifact_name: 'app:1',
      artifact_id: 'b',
      template_reference_name: 'cli',
      git_commit: COMMIT_C,
    },
  ],
  [
    { ...common, kind: 'artifact_started_running', ...running, replicas: 2 },
    { ...ran, replica_number: 2 },
  ],
  [{ ...common, kind: 'artifact_stopped_running', ...running }, ran],
];

describe('an event of a trail', () => {
  test.each(cases)('has the keys of its kind besides the common keys: %j', (event, extra) => {
    const { type, timestamp, org_id, flow_id, trail_id, git_commit_info, repo_info, ...rest } = trailEventOut(event);
    expect({ type, timestamp, org_id, flow_id, trail_id }).toEqual({
      type: event.kind,
      timestamp: 1_700_000_000.25,
      org_id: 'o',
      flow_id: 'f',
      trail_id: 't',
    });
    expect(git_commit_info).toEqual({ ...common.commit, author_username: null, parents: null });
    expect(repo_info).toEqual({
      ...common.repo,
      org_id: 'o',
      created_at: 1_700_000_000,
      last_modified_at: 1_700_000_001,
    });
    expect(rest).toEqual(extra);
  });

  test('exists for every kind of moment', () => {
    expect(cases.map(([event]) => event.kind)).toEqual(expect.arrayContaining([...MOMENT_KINDS]));
  });

  test('has null for a commit or a repository that its report did not name', () => {
    const event = trailEventOut({
      ...common,
      commit: null,
      repo: null,
      kind: 'trail_attestation_reported',
      attestation,
    });
    expect(event).toMatchObject({ git_commit_info: null, repo_info: null });
  });
});
