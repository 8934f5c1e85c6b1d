import { describe, expect, test } from 'vitest';
import { type EnvironmentId, idAt } from '#shared/base/ids.ts';
import { micros, plus } from '#shared/base/time.ts';
import { MOMENT_KINDS } from '#shared/evidence/rules/trail-state.ts';
import { FLOW_TRIGGERS, Notice, type Trigger } from '#shared/notifications/rules/records.ts';
import {
  matches,
  mismatch,
  momentEventId,
  momentNotice,
  testNotice,
  versionInForce,
} from '#shared/notifications/rules/triggers.ts';
import { testId } from '#test/support/ids.ts';
import {
  AT,
  aMoment,
  anAction,
  anArtifactMoment,
  anAttestationMoment,
  FINGERPRINT,
  FLOW_ID,
  noticed,
} from './notices.ts';

describe('the notice of a moment', () => {
  test('a new trail fires ON_STARTED_TRAIL', () => {
    expect(noticed(aMoment())).toEqual({
      event: idAt(AT, `${FLOW_ID}/trail-id/1`),
      at: AT,
      trigger: 'ON_STARTED_TRAIL',
      eventType: 'TRAIL_STARTED',
      org: 'acme',
      flow: 'web',
      trail: 'release-42',
      actor: 'ada',
      state: 'INCOMPLETE',
      description: "Trail 'release-42' of flow 'web' was started by ada",
      htmlPath: '/acme/flows/web/trails/release-42',
      apiPath: '/api/v2/trails/acme/web/release-42',
    });
  });

  test('a reported artifact fires ON_ATTESTED_PROVENANCE, also if the moment has other changes', () => {
    expect(noticed(anArtifactMoment())).toMatchObject({
      trigger: 'ON_ATTESTED_PROVENANCE',
      eventType: 'ARTIFACT_ATTESTED',
      description: "Artifact 'web:1.2' was reported to trail 'release-42' of flow 'web' by ada",
      artifact: { name: 'web:1.2', fingerprint: FINGERPRINT, provenance: { flow: 'web', commit: 'c0ffee' } },
    });
  });

  test('an attestation of a trail fires ON_ATTESTATION with its verdict', () => {
    expect(noticed(anAttestationMoment({ compliant: false }))).toMatchObject({
      trigger: 'ON_ATTESTATION',
      eventType: 'ATTESTATION_REPORTED',
      state: 'NON-COMPLIANT',
      description:
        "Attestation 'unit-tests' (junit) was reported as non-compliant to trail 'release-42' of flow 'web' by ada",
      attestation: { id: 'att-1', name: 'unit-tests', type: 'junit', compliant: false },
      htmlPath: '/acme/flows/web/trails/release-42?attestation_id=att-1',
    });
  });

  test('an attestation of an artifact names the artifact, an override its own type', () => {
    const scope = { kind: 'fingerprint', fingerprint: FINGERPRINT } as const;
    expect(noticed(anAttestationMoment({ scope })).description).toContain("for artifact 'abababababab'");
    const override = noticed(anAttestationMoment({ scope, show: { type: 'override', target: 'web' } }));
    expect(override.description).toContain("(override) for artifact 'web'");
    expect(override.attestation?.type).toBe('override');
  });

  test('an update of a trail fires nothing; every other kind of moment fires one flow trigger', () => {
    const fired = MOMENT_KINDS.map((kind) => {
      const { content } = anAttestationMoment();
      return momentNotice(aMoment({ kind, content }), 'web', 'acme')?.trigger ?? null;
    });
    expect(fired.filter((trigger) => trigger === null)).toHaveLength(1);
    expect(MOMENT_KINDS[fired.indexOf(null)]).toBe('trail_updated');
    for (const trigger of fired) if (trigger) expect(FLOW_TRIGGERS).toContain(trigger);
  });

  test('a moment without its change throws', () => {
    expect(() => noticed(aMoment({ kind: 'artifact_creation_reported' }))).toThrow('without its change');
  });

  test('every notice can be stored and read again', () => {
    for (const moment of [aMoment(), anArtifactMoment(), anAttestationMoment()]) {
      const notice = noticed(moment);
      expect(Notice.parse(JSON.parse(JSON.stringify(notice)))).toEqual(notice);
    }
  });

  test('a moment always gives the same event id, and another moment another id', () => {
    expect(momentEventId(aMoment())).toBe(noticed(aMoment()).event);
    const others = [
      aMoment({ number: 2 }),
      aMoment({ trail: testId('x') }),
      aMoment({ flow: testId('x') }),
      aMoment({ at: plus(AT, 1000) }),
    ];
    expect(new Set([aMoment(), ...others].map(momentEventId)).size).toBe(5);
  });
});

describe('an action is notified', () => {
  const notice = { trigger: 'ON_STARTED_TRAIL' } as const;

  test('if it lists the trigger, and the flow or no flow at all', () => {
    expect(matches(anAction(), notice, { flows: [testId('f1')] }, micros(200))).toBe(true);
    expect(
      matches(anAction({ flows: [testId('f1'), testId('f2')] }), notice, { flows: [testId('f1')] }, micros(200)),
    ).toBe(true);
    expect(matches(anAction({ flows: [testId('f2')] }), notice, { flows: [testId('f1')] }, micros(200))).toBe(false);
    expect(matches(anAction({ triggers: ['ON_ATTESTATION'] }), notice, { flows: [testId('f1')] }, micros(200))).toBe(
      false,
    );
    expect(matches(anAction({ triggers: [] }), notice, { flows: [testId('f1')] }, micros(200))).toBe(false);
  });

  test('an action is notified as an environment notification, if it lists the environment', () => {
    const action = anAction({ kind: 'env', triggers: ['ON_COMPLIANT_ENV'], environments: [testId('e1')] });
    expect(matches(action, { trigger: 'ON_COMPLIANT_ENV' }, { environment: testId('e1') }, micros(200))).toBe(true);
    expect(matches(action, { trigger: 'ON_COMPLIANT_ENV' }, { environment: testId('e2') }, micros(200))).toBe(false);
  });

  test('an action is notified of several flows if it lists one of them, and of no named flow only if it lists none', () => {
    const listed = anAction({ flows: [testId('f2')] });
    expect(matches(listed, notice, { flows: [testId('f1'), testId('f2')] }, micros(200))).toBe(true);
    expect(matches(listed, notice, { flows: [] }, micros(200))).toBe(false);
    expect(matches(anAction(), notice, { flows: [] }, micros(200))).toBe(true);
  });

  test('an action is never notified of an event of the other kind, although both list the trigger', () => {
    const triggers: Trigger[] = ['ON_EXPECTATION_MISSED'];
    const missed = { trigger: 'ON_EXPECTATION_MISSED' } as const;
    const environment: EnvironmentId = testId('e1');
    expect(mismatch(anAction({ triggers }), missed.trigger, { environment }, micros(200))).toBe('environment');
    const watching = anAction({ kind: 'env', triggers, environments: [environment] });
    expect(matches(watching, missed, { environment }, micros(200))).toBe(true);
    expect(mismatch(watching, missed.trigger, { flows: [testId('f1')] }, micros(200))).toBe('flow');
  });

  test('neither of events before its creation nor after its deletion', () => {
    expect(matches(anAction(), notice, { flows: [testId('f1')] }, micros(99))).toBe(false);
    expect(matches(anAction(), notice, { flows: [testId('f1')] }, micros(100))).toBe(true);
    expect(
      matches(anAction({ modified: micros(300), version: 2 }), notice, { flows: [testId('f1')] }, micros(200)),
    ).toBe(false);
    expect(matches(anAction({ deleted: true }), notice, { flows: [testId('f1')] }, micros(200))).toBe(false);
  });

  test('an action is notified by the version that was in force at the time of the event', () => {
    const versions = [3, 1, 2].map((version) => anAction({ version, modified: micros(version * 100) }));
    expect(versionInForce(versions, micros(99))).toBeUndefined();
    expect([100, 199, 200, 250, 300, 900].map((at) => versionInForce(versions, micros(at))?.version)).toEqual([
      1, 1, 2, 2, 3, 3,
    ]);
  });
});

test('a test event is marked as one and says that nothing happened', () => {
  expect(testNotice(anAction({ triggers: [] }), 'acme', 'e1', AT)).toMatchObject({
    event: 'e1',
    at: AT,
    org: 'acme',
    test: true,
    eventType: 'TEST',
    trigger: 'ON_STARTED_TRAIL',
    description: "Test of the action 'tell': nothing happened",
  });
});
