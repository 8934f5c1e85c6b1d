import { describe, expect, test } from 'vitest';
import type { AttestationId, EnvironmentId, FlowId, OrganizationId, PrincipalId, TrailId } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';
import type { FlowHead } from '#shared/evidence/records/flows.ts';
import type { Moment } from '#shared/evidence/records/moments.ts';
import type { RuntimeEvent } from '#shared/evidence/records/runtime-events.ts';
import type { TrailHead } from '#shared/evidence/records/trail-items.ts';
import { NO_TRAIL_FIELDS } from '#shared/evidence/rules/trail-report.ts';
import { MOMENT_KINDS, type Scope } from '#shared/evidence/rules/trail-state.ts';
import { trailEvents } from '#shared/evidence/trail-events.ts';
import { testId, testName } from '#test/support/ids.ts';
import { COMMIT_C, FP_1, secondsIn } from './rules/trails.ts';

const commit = { sha1: COMMIT_C, message: 'm', author: 'a', timestamp: 1, branch: '' };
const repo = {
  inner_id: 'i',
  repo_id: 'x',
  name: 'o/r',
  url: 'https://git.example/o/r',
  provider: null,
  description: null,
  created_at: secondsIn(0),
  last_modified_at: secondsIn(1),
};
const fields = { ...NO_TRAIL_FIELDS, description: '', user_data: '{"a":1}' };
const flow = testId<FlowId>('f');
const trail = testId<TrailId>('t');

function aMoment(kind: Moment['kind'], content: Partial<Moment['content']>): Moment {
  return {
    kind,
    at: micros(secondsIn(0) + 250_000),
    flow,
    trail,
    name: testName('build-1'),
    number: 1,
    sk: '1',
    body: '',
    salt: new Uint8Array(),
    details: '',
    pledges: {},
    previous: new Uint8Array(),
    hash: new Uint8Array(),
    content: {
      changes: [],
      template: null,
      ownTemplate: null,
      word: 'COMPLIANT',
      attestations: 0,
      names: { flow: 'web', trail: 'build-1' },
      by: { id: testId<PrincipalId>('u'), name: 'ann' },
      fields: 'digest of fields',
      commit: 'digest of commit',
      repo: 'i',
      ...content,
    },
  };
}

const attestation = (scope: Scope) => ({
  kind: 'attestation' as const,
  scope,
  name: 'scan',
  type: 'snyk',
  id: testId<AttestationId>('a'),
  compliant: false,
  overridden: null,
});
const artifact = {
  kind: 'artifact' as const,
  fingerprint: FP_1,
  name: 'cli',
  commit: COMMIT_C,
  id: 'b',
  compliant: true,
};
const attested = {
  attestation_type: 'snyk',
  attestation_id: 'a',
  template_reference_name: 'scan',
  is_compliant: false,
};

const eventsOf = (moments: Moment[], runtime: RuntimeEvent[] = []): Record<string, unknown>[] =>
  trailEvents(
    {
      flow: { id: flow } as FlowHead,
      head: { id: trail } as TrailHead,
      moments,
      fields: new Map([['digest of fields', JSON.stringify(fields)]]),
      commits: new Map([['digest of commit', JSON.stringify(commit)]]),
      repos: new Map([['i', repo]]),
    },
    runtime,
    testId<OrganizationId>('o'),
  );

const reported = aMoment('artifact_creation_reported', { changes: [artifact], show: { filename: 'app:1' } });
const cases: [Moment, Record<string, unknown>][] = [
  [
    aMoment('trail_reported', {}),
    { setting_user_id: 'u', trail_data_json: { name: 'build-1', description: '', user_data: '{"a":1}' } },
  ],
  [
    aMoment('trail_updated', { show: { changes: ['template'] } }),
    {
      setting_user_id: 'u',
      trail_data_json: { name: 'build-1', description: '', user_data: '{"a":1}' },
      changes: ['template'],
    },
  ],
  [aMoment('trail_attestation_reported', { changes: [attestation({ kind: 'trail' })] }), attested],
  [
    aMoment('trail_attestation_for_artifact_reported', {
      changes: [attestation({ kind: 'named', artifact: 'cli', commit: COMMIT_C })],
      show: { type: 'override', target: 'cli' },
    }),
    { ...attested, attestation_type: 'override', target_artifact: 'cli' },
  ],
  [
    aMoment('artifact_attestation_reported', {
      changes: [attestation({ kind: 'fingerprint', fingerprint: FP_1 })],
      show: { target: 'cli' },
    }),
    { ...attested, artifact_fingerprint: FP_1, artifact_name: 'app:1', target_artifact: 'cli' },
  ],
  [
    reported,
    {
      artifact_fingerprint: FP_1,
      artifact_name: 'app:1',
      artifact_id: 'b',
      template_reference_name: 'cli',
      git_commit: COMMIT_C,
    },
  ],
];

describe('an event of a trail', () => {
  test.each(cases)('has the keys of its kind besides the common keys: %j', (moment, extra) => {
    // An artifact is reported before attestations name it.
    const event = eventsOf([reported, moment]).at(-1);
    const { type, timestamp, org_id, flow_id, trail_id, git_commit_info, repo_info, ...rest } = event ?? {};
    expect({ type, timestamp, org_id, flow_id, trail_id }).toEqual({
      type: moment.kind,
      timestamp: 1_700_000_000.25,
      org_id: 'o',
      flow_id: 'f',
      trail_id: 't',
    });
    expect(git_commit_info).toEqual({ ...commit, author_username: null, parents: null });
    expect(repo_info).toEqual({ ...repo, org_id: 'o', created_at: 1_700_000_000, last_modified_at: 1_700_000_001 });
    expect(rest).toEqual(extra);
  });

  test('exists for every kind of moment', () => {
    expect(cases.map(([{ kind }]) => kind).toSorted()).toEqual(MOMENT_KINDS.toSorted());
  });

  test('has null for a commit or a repository that its report did not name', () => {
    const [event] = eventsOf([aMoment('trail_reported', { commit: undefined, repo: undefined })]);
    expect(event).toMatchObject({ git_commit_info: null, repo_info: null });
  });

  test('tells of starts and stops of artifacts, in the order of time', () => {
    const started: RuntimeEvent = {
      at: secondsIn(0),
      type: 'started',
      fingerprint: FP_1,
      slot: 'cli',
      environment: testId<EnvironmentId>('e'),
      name: 'prod',
      index: 3,
      instances: 2,
    };
    const ran = {
      org_id: 'o',
      flow_id: 'f',
      trail_id: 't',
      git_commit_info: null,
      repo_info: null,
      artifact_fingerprint: FP_1,
      template_reference_name: 'cli',
      environment_id: 'e',
      environment_name: 'prod',
      snapshot_index: 3,
    };
    expect(eventsOf([reported], [started, { ...started, at: secondsIn(2), type: 'stopped' }])).toEqual([
      { type: 'artifact_started_running', timestamp: 1_700_000_000, ...ran, replica_number: 2 },
      expect.objectContaining({ type: 'artifact_creation_reported' }),
      { type: 'artifact_stopped_running', timestamp: 1_700_000_002, ...ran },
    ]);
  });
});
