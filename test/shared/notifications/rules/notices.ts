import type { FlowId, TrailId } from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import { micros } from '#shared/base/time.ts';
import type { MomentFacts } from '#shared/evidence/rules/moment-facts.ts';
import type { Scope } from '#shared/evidence/rules/trail-state.ts';
import type { ActionRecord, Notice } from '#shared/notifications/rules/records.ts';
import { momentNotice } from '#shared/notifications/rules/triggers.ts';
import { testFingerprint, testId, testName } from '#test/support/ids.ts';

export const FLOW_ID = testId<FlowId>('00000000-0000-0000-0000-0000000f');
export const FINGERPRINT = testFingerprint('ab'.repeat(32));
/** 2026-11-20 00:00:00.25 UTC in microseconds. */
export const AT = micros(1_795_132_800_250_000);

export const aMoment = (overrides: Partial<MomentFacts> = {}): MomentFacts => ({
  ...{
    kind: 'trail_reported',
    at: AT,
    number: 1,
    flow: FLOW_ID,
    trail: testId<TrailId>('trail-id'),
    name: testName<TrailName>('release-42'),
  },
  content: { changes: [], word: 'INCOMPLETE', by: { name: 'ada' } },
  ...overrides,
});

export const anArtifactMoment = (): MomentFacts =>
  aMoment({
    kind: 'artifact_creation_reported',
    content: {
      changes: [
        { kind: 'repo', id: 'r' },
        {
          kind: 'artifact',
          fingerprint: FINGERPRINT,
          name: 'web',
          id: 'a1',
          commit: 'c0ffee',
          compliant: true,
        },
      ],
      word: 'INCOMPLETE',
      by: { name: 'ada' },
      show: { filename: 'web:1.2' },
    },
  });

export const anAttestationMoment = ({
  compliant = true,
  scope = { kind: 'trail' } as Scope,
  show = { type: 'junit' } as Record<string, unknown>,
} = {}): MomentFacts =>
  aMoment({
    kind: scope.kind === 'trail' ? 'trail_attestation_reported' : 'artifact_attestation_reported',
    number: 2,
    content: {
      changes: [
        {
          kind: 'attestation',
          scope,
          name: 'unit-tests',
          type: 'junit',
          id: testId('att-1'),
          compliant,
          overridden: null,
        },
      ],
      word: compliant ? 'COMPLIANT' : 'NON-COMPLIANT',
      by: { name: 'ada' },
      show,
    },
  });

export function noticed(moment: MomentFacts): Notice {
  const notice = momentNotice(moment, 'web', 'acme');
  if (!notice) throw new Error('This kind of moment has no notice');
  return notice;
}

export const anAction = (overrides: Partial<ActionRecord> = {}): ActionRecord => ({
  number: 1,
  kind: 'flow',
  name: 'tell',
  triggers: ['ON_STARTED_TRAIL'],
  flows: [],
  environments: [],
  targets: [],
  by: 'ada',
  created: micros(100),
  modified: micros(100),
  version: 1,
  deleted: false,
  ...overrides,
});

/** The notice of an environment event: the example of the public documentation of payload 1.0. */
export const ENVIRONMENT_NOTICE: Notice = {
  event: 'e',
  at: micros(1_692_616_493_900_000),
  trigger: 'ON_STARTED_ARTIFACT',
  eventType: 'ARTIFACT_STARTED',
  org: 'acme',
  description: '1 instance started running (from 0 to 1)',
  environment: 'prod',
  htmlPath: '/acme/environments/prod/snapshots/1035',
  apiPath: '/api/v2/snapshots/acme/prod/1035',
  snapshot: { index: 1035, status: 'compliant' },
  artifact: {
    name: 'web:1.2',
    fingerprint: FINGERPRINT,
    provenance: { flow: 'web', status: 'compliant', commit: 'c0ffee' },
  },
};
