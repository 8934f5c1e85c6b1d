import { describe, expect, test } from 'vitest';
import type { Fingerprint } from '#shared/base/ids.ts';
import { applyMoment, type SlotChange } from '#shared/evidence/rules/trail-state.ts';
import { judgeTrail, trailJudge, trailWord } from '#shared/evidence/rules/verdict.ts';
import { testId } from '#test/support/ids.ts';
import {
  artifactEntry,
  aTrail,
  attested,
  COMMIT_C,
  COMMIT_D,
  EMPTY,
  effectiveVerdict,
  expected,
  FP_1,
  FP_2,
  moment,
  onFingerprint,
  onNamed,
  onTrail,
  reported,
  secondsIn,
  slot,
  templateOf,
} from './trails.ts';

/** Returns name and state of each entry, in order: `foo ok`, `baz failed unexpected`. */
const short = (entries: ReturnType<typeof judgeTrail>['attestations_statuses'] = []) =>
  entries.map(({ attestation_name, status, is_compliant, unexpected }) =>
    [attestation_name, status === 'MISSING' ? 'missing' : is_compliant ? 'ok' : 'failed', unexpected && 'unexpected']
      .filter(Boolean)
      .join(' '),
  );

describe('the worked cases (rules/trails.md#worked-cases)', () => {
  test('a fresh trail on a template with slots is incomplete, and its artifact is listed as missing', () => {
    const status = judgeTrail(aTrail(), expected);
    expect(status).toMatchObject({ status: 'INCOMPLETE', is_compliant: false });
    expect(status.artifacts_statuses['cli']).toEqual({
      artifact_fingerprint: null,
      artifact_id: null,
      status: 'MISSING',
      is_compliant: null,
      attestations_statuses: [
        {
          attestation_name: 'foo',
          attestation_type: 'generic',
          attestation_id: null,
          overridden_attestation_id: null,
          status: 'MISSING',
          is_compliant: null,
          unexpected: false,
        },
      ],
      unexpected: false,
    });
  });

  test('a reported artifact without its attestation is incomplete', () => {
    const status = judgeTrail(aTrail(reported('cli')), expected);
    expect(status.status).toBe('INCOMPLETE');
    expect(status.artifacts_statuses['cli']).toMatchObject({
      artifact_fingerprint: FP_1,
      status: 'INCOMPLETE',
      is_compliant: false,
      unexpected: false,
    });
  });

  test('one failure outweighs missing attestations', () => {
    const template = templateOf([], { cli: [slot('foo'), slot('baz'), slot('qux')] });
    const state = aTrail(
      reported('cli'),
      attested(onFingerprint(FP_1), 'foo'),
      attested(onFingerprint(FP_1), 'baz', { compliant: false }),
      attested(onFingerprint(FP_1), 'extra'),
    );
    const status = judgeTrail(state, template);
    expect(status.status).toBe('NON-COMPLIANT');
    expect(status.artifacts_statuses['cli']?.status).toBe('NON-COMPLIANT');
    expect(short(status.artifacts_statuses['cli']?.attestations_statuses)).toEqual([
      'foo ok',
      'baz failed',
      'qux missing',
      'extra ok unexpected',
    ]);
  });

  test('an empty template with good attestations is compliant, and everything is unexpected', () => {
    const status = judgeTrail(aTrail(reported('cli'), attested(onFingerprint(FP_1), 'foo')), EMPTY);
    expect(status).toMatchObject({ status: 'COMPLIANT', is_compliant: true });
    expect(status.artifacts_statuses['cli']).toMatchObject({ status: 'COMPLIANT', unexpected: true });
  });

  test('an empty template with one false attestation is non-compliant', () => {
    const state = aTrail(reported('cli'), attested(onFingerprint(FP_1), 'foo', { compliant: false }));
    expect(trailWord(state, EMPTY)).toBe('NON-COMPLIANT');
    expect(artifactEntry(state, EMPTY, FP_1)).toMatchObject({ status: 'NON-COMPLIANT', is_compliant: false });
  });

  test('a trail with nothing in it and no template is compliant', () => {
    expect(trailWord(aTrail(), EMPTY)).toBe('COMPLIANT');
  });

  test.each([
    ['before', [attested(onNamed('cli'), 'foo'), reported('cli')]],
    ['after', [reported('cli'), attested(onNamed('cli'), 'foo')]],
  ])('an attestation of a named artifact binds when it comes %s the artifact', (_, changes) => {
    const entry = artifactEntry(aTrail(...changes), expected, FP_1);
    expect(short(entry?.attestations_statuses)).toEqual(['foo ok']);
  });

  test('an attestation of a named artifact with another commit stays unbound and fills no slot', () => {
    const state = aTrail(attested(onNamed('cli', COMMIT_D), 'foo', { compliant: false }), reported('cli'));
    const status = judgeTrail(state, expected);
    expect(status.status).toBe('INCOMPLETE');
    expect(short(status.artifacts_statuses['cli']?.attestations_statuses)).toEqual(['foo missing']);
    expect(short(status.attestations_statuses)).toEqual(['bar missing']);
  });
});

describe('the trail', () => {
  test('is compliant if every slot of the trail and of its artifacts is', () => {
    const state = aTrail(reported('cli'), attested(onFingerprint(FP_1), 'foo'), attested(onTrail, 'bar'));
    expect(trailWord(state, expected)).toBe('COMPLIANT');
  });

  test('is non-compliant because of an unexpected artifact that is non-compliant', () => {
    const state = aTrail(reported('other'), attested(onFingerprint(FP_1), 'scan', { compliant: false }));
    expect(trailWord(state, expected)).toBe('NON-COMPLIANT');
  });

  test('has the time of its last moment and the digest of the evaluated template', () => {
    expect(judgeTrail(aTrail(attested(onTrail, 'bar')), expected)).toMatchObject({
      evaluated_at: secondsIn(2),
      template: 'aa',
    });
  });

  test('counts only the latest report of a slot', () => {
    const failed = attested(onTrail, 'bar', { compliant: false, id: testId('old') });
    const passed = attested(onTrail, 'bar', { id: testId('new') });
    const template = templateOf([slot('bar')]);
    expect(trailWord(aTrail(failed, passed), template)).toBe('COMPLIANT');
    expect(trailWord(aTrail(passed, failed), template)).toBe('NON-COMPLIANT');
    expect(judgeTrail(aTrail(failed, passed), template).attestations_statuses[0]?.attestation_id).toBe('new');
  });

  test('shows an override with its own id, that of the original, and the original type', () => {
    const state = aTrail(
      attested(onTrail, 'bar', { type: 'snyk', compliant: false, id: testId('original') }),
      attested(onTrail, 'bar', {
        type: 'snyk',
        compliant: true,
        id: testId('override'),
        overridden: testId('original'),
      }),
    );
    expect(judgeTrail(state, templateOf([slot('bar', 'snyk')])).attestations_statuses).toEqual([
      {
        attestation_name: 'bar',
        attestation_type: 'snyk',
        attestation_id: 'override',
        overridden_attestation_id: 'original',
        status: 'COMPLETE',
        is_compliant: true,
        unexpected: false,
      },
    ]);
  });

  test('lists artifacts in template order, then unexpected artifacts in the order of their first report', () => {
    const template = templateOf([], { zulu: [], alpha: [] });
    const state = aTrail(reported('mike'), reported('beta'), reported('alpha'), reported('mike', { commit: COMMIT_D }));
    expect(Object.keys(judgeTrail(state, template).artifacts_statuses)).toEqual(['zulu', 'alpha', 'mike', 'beta']);
  });

  test('accepts an artifact with the name __proto__', () => {
    const state = aTrail(reported('__proto__', { compliant: false }), reported('constructor'));
    const { status, artifacts_statuses } = judgeTrail(state, EMPTY);
    expect(status).toBe('NON-COMPLIANT');
    expect(Object.keys(artifacts_statuses)).toEqual(['__proto__', 'constructor']);
    expect(artifacts_statuses['toString']).toBeUndefined();
  });

  test('lists a decision on an artifact that it never had as unexpected, fills no slot with it, and counts it', () => {
    const decision = (fingerprint: Fingerprint, compliant: boolean) =>
      attested(onFingerprint(fingerprint), 'release', { type: 'decision', compliant });
    const template = templateOf([slot('release', 'decision')]);
    const mixed = judgeTrail(aTrail(decision(FP_1, false), decision(FP_2, true)), template);
    expect(mixed.status).toBe('NON-COMPLIANT');
    expect(short(mixed.attestations_statuses)).toEqual([
      'release failed unexpected',
      'release ok unexpected',
      'release missing',
    ]);
    expect(trailWord(aTrail(decision(FP_2, true)), EMPTY)).toBe('COMPLIANT');
  });
});

describe('an artifact', () => {
  test('keeps its attestations when it is reported again, under its newest id', () => {
    const state = aTrail(
      reported('cli', { id: 'first' }),
      attested(onFingerprint(FP_1), 'foo'),
      reported('cli', { id: 'second', commit: COMMIT_D }),
    );
    expect(artifactEntry(state, expected, FP_1)).toMatchObject({ artifact_id: 'second', status: 'COMPLIANT' });
  });

  test('picks up attestations that name any commit with which it was reported', () => {
    const state = aTrail(
      reported('cli'),
      reported('cli', { commit: COMMIT_D }),
      attested(onNamed('cli', COMMIT_C), 'foo'),
      attested(onNamed('cli', COMMIT_D), 'scan', { compliant: false }),
    );
    expect(short(artifactEntry(state, expected, FP_1)?.attestations_statuses)).toEqual([
      'foo ok',
      'scan failed unexpected',
    ]);
  });

  test('counts the latest of the attestations that are bound by fingerprint or by name', () => {
    const byName = attested(onNamed('cli'), 'foo', { compliant: false, id: testId('named') });
    const byFingerprint = attested(onFingerprint(FP_1), 'foo', { id: testId('fingerprint') });
    const entry = (...changes: SlotChange[]) =>
      artifactEntry(aTrail(reported('cli'), ...changes), expected, FP_1)?.attestations_statuses;
    expect(entry(byName, byFingerprint)).toMatchObject([{ attestation_id: 'fingerprint', is_compliant: true }]);
    expect(entry(byFingerprint, byName)).toMatchObject([{ attestation_id: 'named', is_compliant: false }]);
  });

  test('shares an attestation of a named artifact with every artifact of that name and commit', () => {
    const state = aTrail(
      reported('cli'),
      attested(onNamed('cli'), 'foo'),
      reported('cli', { fingerprint: FP_2, id: 'rebuilt' }),
    );
    expect(artifactEntry(state, expected, FP_1)?.status).toBe('COMPLIANT');
    expect(artifactEntry(state, expected, FP_2)?.status).toBe('COMPLIANT');
  });

  test('keeps its own verdict if the list shows another fingerprint under its name', () => {
    const state = aTrail(
      reported('cli', { id: 'hidden' }),
      attested(onFingerprint(FP_1), 'foo', { compliant: false }),
      reported('cli', { fingerprint: FP_2, id: 'shown' }),
      attested(onFingerprint(FP_2), 'foo'),
    );
    const template = templateOf([], { cli: [slot('foo')] });
    expect(judgeTrail(state, template)).toMatchObject({
      status: 'COMPLIANT',
      artifacts_statuses: { cli: { artifact_id: 'shown', status: 'COMPLIANT' } },
    });
    expect(artifactEntry(state, template, FP_1)).toMatchObject({ artifact_id: 'hidden', status: 'NON-COMPLIANT' });
    expect(effectiveVerdict(state, template, FP_1)).toMatchObject({ status: 'NON-COMPLIANT', is_compliant: false });
  });

  test('is non-compliant by the legacy field of its report, until it is reported again without the field', () => {
    const refused = reported('cli', { compliant: false });
    expect(artifactEntry(aTrail(refused), EMPTY, FP_1)).toMatchObject({ status: 'NON-COMPLIANT', is_compliant: false });
    expect(artifactEntry(aTrail(refused, reported('cli')), EMPTY, FP_1)?.status).toBe('COMPLIANT');
  });

  test('has the evaluation time of its own attestations and of a new template, not of attestations of the trail', () => {
    const state = aTrail(reported('cli'), attested(onTrail, 'bar'));
    const at = (s: typeof state) => artifactEntry(s, expected, FP_1)?.evaluated_at;
    expect(at(state)).toBe(secondsIn(2));
    const bound = applyMoment(state, moment(4, [attested(onNamed('cli'), 'foo')], 'aa'));
    expect(at(bound)).toBe(secondsIn(4));
    expect(at(applyMoment(bound, moment(5, [], 'bb')))).toBe(secondsIn(5));
  });

  test('has no entry if it was not reported, or not under that name', () => {
    const judge = trailJudge(aTrail(reported('cli')), expected);
    expect(judge.artifact(FP_2)).toBeNull();
    expect(judge.artifact(FP_1, 'server')).toBeNull();
    expect(judge.effective(FP_2)).toBeNull();
    expect(judge.artifact(FP_1, 'cli')?.artifact_id).toBe('id-of-cli');
  });
});
