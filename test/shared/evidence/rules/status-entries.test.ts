import { describe, expect, test } from 'vitest';
import { statusEntries, worst, worstWord } from '#shared/evidence/rules/status-entries.ts';
import { judgeTrail } from '#shared/evidence/rules/verdict.ts';
import { testId } from '#test/support/ids.ts';
import {
  artifactEntry,
  aTrail,
  attested,
  EMPTY,
  FP_1,
  onFingerprint,
  onNamed,
  onTrail,
  reported,
  slot,
  templateOf,
} from './trails.ts';

const listed = (slots: ReturnType<typeof slot>[], ...changes: ReturnType<typeof attested>[]) =>
  judgeTrail(aTrail(...changes), templateOf(slots)).attestations_statuses.map(
    (entry) =>
      `${entry.attestation_name} ${entry.attestation_type} ${entry.status}${entry.unexpected ? ' unexpected' : ''}`,
  );

describe('status entries', () => {
  test('are in template order, then unexpected entries in the order of their first report', () => {
    const entries = listed(
      [slot('b'), slot('a')],
      attested(onTrail, 'z'),
      attested(onTrail, 'a'),
      attested(onTrail, 'c'),
      attested(onTrail, 'z'),
    );
    expect(entries).toEqual([
      'b generic MISSING',
      'a generic COMPLETE',
      'z generic COMPLETE unexpected',
      'c generic COMPLETE unexpected',
    ]);
  });

  test('show a report of the wrong type directly before the missing slot of its name', () => {
    const entries = listed(
      [slot('first'), slot('scan', 'snyk'), slot('last')],
      attested(onTrail, 'scan', { type: 'generic' }),
      attested(onTrail, 'scan', { type: 'junit' }),
    );
    expect(entries).toEqual([
      'first generic MISSING',
      'scan generic COMPLETE unexpected',
      'scan junit COMPLETE unexpected',
      'scan snyk MISSING',
      'last generic MISSING',
    ]);
  });

  test('show a report of the wrong type at the end if the slot is filled', () => {
    const entries = listed(
      [slot('scan', 'snyk'), slot('last')],
      attested(onTrail, 'scan', { type: 'generic' }),
      attested(onTrail, 'scan', { type: 'snyk' }),
    );
    expect(entries).toEqual(['scan snyk COMPLETE', 'last generic MISSING', 'scan generic COMPLETE unexpected']);
  });

  test('show every type of its name in a * slot, the newest last, and count them all', () => {
    const changes = [
      attested(onTrail, 'scan', { type: 'snyk' }),
      attested(onTrail, 'scan', { type: 'junit', compliant: false }),
      attested(onTrail, 'scan', { type: 'snyk' }),
    ];
    expect(listed([slot('scan', '*')], ...changes)).toEqual(['scan junit COMPLETE', 'scan snyk COMPLETE']);
    expect(judgeTrail(aTrail(...changes), templateOf([slot('scan', '*')])).status).toBe('NON-COMPLIANT');
  });

  test('keep the place of the first report, by whichever way the latest report is bound to the artifact', () => {
    const state = aTrail(
      reported('cli'),
      attested(onNamed('cli'), 'a', { id: testId('named') }),
      attested(onFingerprint(FP_1), 'b'),
      attested(onFingerprint(FP_1), 'a', { id: testId('by-fingerprint') }),
    );
    const ids = artifactEntry(state, EMPTY, FP_1)?.attestations_statuses.map((entry) => entry.attestation_id);
    expect(ids).toEqual(['by-fingerprint', 'id-of-b']);
  });

  test('compare custom types in full', () => {
    const slots = [slot('cov', 'custom:coverage')];
    expect(listed(slots, attested(onTrail, 'cov', { type: 'custom:coverage' }))).toEqual([
      'cov custom:coverage COMPLETE',
    ]);
    expect(listed(slots, attested(onTrail, 'cov', { type: 'custom:other' }))).toEqual([
      'cov custom:other COMPLETE unexpected',
      'cov custom:coverage MISSING',
    ]);
  });

  test('fill any custom slot with an override of plain custom, until a custom report of that name comes', () => {
    const override = attested(onTrail, 'cov', { type: 'custom', compliant: false });
    expect(listed([slot('cov', 'custom:coverage')], override)).toEqual(['cov custom COMPLETE']);
    const later = [override, attested(onTrail, 'cov', { type: 'custom:coverage' })];
    expect(listed([], ...later)).toEqual(['cov custom:coverage COMPLETE unexpected']);
    expect(judgeTrail(aTrail(...later), EMPTY).status).toBe('COMPLIANT');
  });

  test('are empty without slots and reports', () => {
    expect(statusEntries([], [])).toEqual([]);
    expect(worst([])).toBe('COMPLIANT');
  });
});

describe('the worst of several words', () => {
  test.each([
    [[], 'COMPLIANT'],
    [['COMPLIANT'], 'COMPLIANT'],
    [['COMPLIANT', 'MISSING'], 'INCOMPLETE'],
    [['INCOMPLETE', 'COMPLIANT'], 'INCOMPLETE'],
    [['MISSING', 'NON-COMPLIANT', 'COMPLIANT'], 'NON-COMPLIANT'],
  ] as const)('the worst word of %j is %s', (words, word) => {
    expect(worstWord(words)).toBe(word);
  });
});
