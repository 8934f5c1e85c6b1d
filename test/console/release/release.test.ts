import { describe, expect, it } from 'vitest';
import { evidenceOf } from '#console/release/model/artifact-evidence.ts';
import { runsText, runTimesOf, startOf } from '#console/release/model/artifact-runs.ts';
import { neighboursOf } from '#console/release/model/neighbours.ts';
import {
  decidedText,
  type EnvironmentVerdict,
  isRefused,
  refusedFirst,
  releaseSentence,
  stateOfRelease,
} from '#console/release/model/release.ts';
import type { ReasonStep } from '#shared/base/reasons/steps.ts';

const verdict = (environment: string, compliant: boolean | null, rest: Partial<EnvironmentVerdict> = {}) =>
  ({
    environment,
    type: 'K8S',
    compliant,
    fresh_until: null,
    decided_by: compliant === null ? null : 'policies',
    policies: [],
    reasons: [],
    html_url: '',
    ...rest,
  }) satisfies EnvironmentVerdict;

describe('releaseSentence', () => {
  const step = (kind: ReasonStep['step'], name: string, rest: Partial<ReasonStep>): ReasonStep => ({
    ...{ step: kind, name, says: `${name} is not compliant`, saw: null, html_url: '', compliant: false },
    ...rest,
  });
  const chain = (environment: string, ...below: ReasonStep[]) => ({
    reasons: [step('environment', environment, {}), ...below],
  });
  const gap = step('slot', 'review', { saw: 'missing', says: 'release-10 lacks `review`' });
  const own = step('policy', 'tested v1', { says: 'tested v1 asks for `pentest`, and release-10 has none' });

  it('says of a silent environment that nobody knows, and not that nothing decides', () => {
    const says = 'edge is unknown: No report since 2026-11-28T22:14:03Z';
    const silent = { reasons: [step('environment', 'edge', { saw: 'silent', says, compliant: null })] };
    expect(releaseSentence('web', [verdict('edge', null, silent), verdict('lab', null)])).toBe(
      `${says}. Nothing decides about lab.`,
    );
  });

  it('gives each refused environment the last step of its own verdict, and says where the artifact may go', () => {
    const verdicts = [
      verdict('staging', true),
      verdict('prod', false, chain('prod', gap)),
      verdict('bank', false, chain('bank', own, gap)),
      verdict('edge', false, chain('edge', gap)),
    ];
    expect(releaseSentence('worker', verdicts)).toBe(
      'May not be released to bank, edge and prod: worker has no review: release-10 lacks `review`. May be released to staging.',
    );
    expect(releaseSentence('worker', [verdict('bank', false, chain('bank', own)), ...verdicts.slice(1, 2)])).toBe(
      'May not be released to bank: tested v1 asks for `pentest`, and release-10 has none. Nor to prod: worker has no review: release-10 lacks `review`.',
    );
    expect(isRefused(verdicts)).toBe(true);
  });

  it('names the reasons of the first environments only', () => {
    const verdicts = ['a', 'b', 'c', 'd', 'e'].map((name) => verdict(name, false, chain(name)));
    expect(releaseSentence('worker', verdicts)).toBe(
      'May not be released to a: a is not compliant. Nor to b: b is not compliant. Nor to c: c is not compliant. Nor to d and e, for other reasons.',
    );
  });

  it('does not call unknown a refusal, and leaves logical environments out', () => {
    const verdicts = [verdict('edge', null), verdict('everything', false, { type: 'logical' })];
    expect(releaseSentence('worker', verdicts)).toBe('Nothing decides about edge.');
    expect(releaseSentence('worker', [])).toBe('There is no environment to release to.');
    expect(isRefused(verdicts)).toBe(false);
  });
});

describe('verdicts of environments', () => {
  it('come in the order in which a reader needs them', () => {
    const verdicts = [
      verdict('a', true),
      verdict('b', null),
      verdict('d', false, { decided_by: 'flows' }),
      verdict('c', false),
    ];
    expect(refusedFirst(verdicts).map(({ environment }) => environment)).toEqual(['c', 'd', 'b', 'a']);
  });

  it('name what decided', () => {
    const allowed = verdict('prod', true, { decided_by: 'allow_list' });
    const strict = { policy_name: 'strict', policy_version: 3, status: 'COMPLIANT' };
    expect([allowed, verdict('prod', true, { policies: [strict] }), verdict('prod', null)].map(decidedText)).toEqual([
      'on the allow-list',
      'strict v3',
      'no policy and no flow',
    ]);
    expect(stateOfRelease(allowed)).toBe('allowed');
    expect(stateOfRelease(verdict('prod', null))).toBe('unknown');
  });
});

describe('runTimesOf', () => {
  const HISTORY = [
    { event: 'worker reported', timestamp: 0 },
    { event: 'Started running in staging#45 environment', timestamp: 100 },
    { event: 'Started running in prod#42 environment', timestamp: 200 },
    { event: 'No longer running in staging#46 environment', timestamp: 300 },
  ];

  it('joins starts and stops, the newest first', () => {
    expect(runTimesOf(HISTORY)).toEqual([
      { environment: 'prod', started: 42, stopped: null, from: 200, to: null },
      { environment: 'staging', started: 45, stopped: 46, from: 100, to: 300 },
    ]);
  });

  it('keeps a stop whose start is not known', () => {
    expect(runTimesOf([{ event: 'No longer running in prod#7 environment', timestamp: 5 }])).toEqual([
      { environment: 'prod', started: null, stopped: 7, from: null, to: 5 },
    ]);
  });

  it('says where an artifact runs, and what it left', () => {
    expect(runsText(runTimesOf(HISTORY), 3800)).toBe('Runs in prod for 1 h. Left staging 58 min ago.');
    expect(runsText([], 0)).toBe('Runs nowhere now.');
  });

  it('does not say that an artifact left where it runs again', () => {
    const again = [...HISTORY, { event: 'Started running in staging#50 environment', timestamp: 400 }];
    expect(runsText(runTimesOf(again), 4000)).toBe('Runs in staging for 1 h and prod for 1 h 3 min.');
  });
});

describe('the last starts', () => {
  const start = (environment: string, index: number, lead: number | null) =>
    ({ environment_name: environment, snapshot_index: index, lead_time: lead }) as Parameters<
      typeof startOf
    >[1][number];
  const starts = [start('prod', 7, 11_400), start('staging', 9, 480), start('edge', 1, null)];

  it('belong to the run that began in the same snapshot', () => {
    const run = { environment: 'prod', started: 7, stopped: null, from: 0, to: null };
    expect(startOf(run, starts)).toBe(starts[0]);
    expect(startOf({ ...run, started: 6 }, starts)).toBeUndefined();
  });
});

describe('evidenceOf', () => {
  const slot = (artifact_name: string | null, attestation_name: string, status: 'COMPLETE' | 'MISSING') => ({
    artifact_name,
    attestation_name,
    attestation_type: 'generic',
    attestation_id: null,
    overridden_attestation_id: null,
    status,
    is_compliant: status === 'COMPLETE' ? true : null,
    unexpected: false,
  });

  it('has that of the trail and of the artifact, but not of other artifacts, and what is missing first', () => {
    const found = {
      slots: [slot('app', 'unit', 'COMPLETE'), slot('worker', 'unit', 'MISSING'), slot(null, 'review', 'MISSING')],
      artifacts: [
        { artifact_name: 'app', artifact_fingerprint: 'aa' },
        { artifact_name: 'worker', artifact_fingerprint: 'bb' },
      ],
    } as unknown as Parameters<typeof evidenceOf>[0];
    expect(evidenceOf(found, 'aa').map(({ name, ofTrail, state }) => [name, ofTrail, state])).toEqual([
      ['review', true, 'missing'],
      ['unit', false, 'compliant'],
    ]);
  });
});

describe('neighboursOf', () => {
  const report = (fingerprint: string, name = 'app') =>
    ({ fingerprint, template_reference_name: name }) as unknown as Parameters<typeof neighboursOf>[1];

  it('finds the one before and the one after under the same name', () => {
    const newest = [report('c'), report('x', 'worker'), report('b'), report('b'), report('a')];
    const { before, after, isListed } = neighboursOf(newest, report('b'));
    expect([after?.fingerprint, before?.fingerprint, isListed]).toEqual(['c', 'a', true]);
    expect(neighboursOf(newest, report('c')).after).toBeUndefined();
  });

  it('says that nothing is known of an artifact that is not in the list', () => {
    expect(neighboursOf([report('c')], report('b')).isListed).toBe(false);
  });
});
