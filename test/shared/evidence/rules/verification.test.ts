import { describe, expect, test } from 'vitest';
import { GRADES, reachesGrade, unsigned, verificationOf } from '#shared/evidence/rules/verification.ts';

const IDENTITY = { trust: 'ci', issuer: 'https://ci.example', subject: 'acme/web', claims: {} };

describe('the grade of an attestation without a bundle', () => {
  test.each([
    ['a key of the organization', { derived: {} }, 'stated'],
    ['a session of a pipeline', { derived: {}, identity: IDENTITY }, 'identified'],
    ['the service itself', { derived: { observed: true } }, 'observed'],
    ['the service for a pipeline', { derived: { observed: true }, identity: IDENTITY }, 'observed'],
  ])('that comes from %s', (_, record, grade) => {
    expect(verificationOf(record)).toEqual(unsigned(grade as 'stated'));
  });

  test('is never what a caller writes beside it', () => {
    expect(verificationOf({ derived: { observed: 'true', grade: 'logged' } }).grade).toBe('stated');
  });
});

describe('the grade of a bundle', () => {
  test('is the stored one, also if an identified pipeline sent it', () => {
    const verification = { ...unsigned('logged'), signer: { name: 'release', version: 2 } };
    expect(verificationOf({ derived: { verification }, identity: IDENTITY })).toEqual(verification);
  });

  test('says why it was not verified, and does not count the sender', () => {
    const verification = { ...unsigned('stated'), error: 'signature verification failed' };
    expect(verificationOf({ derived: { verification }, identity: IDENTITY })).toEqual(verification);
  });

  test('completes members that were not stored', () => {
    expect(verificationOf({ derived: { verification: { grade: 'signed', run: 'https://ci/1' } } })).toEqual({
      ...unsigned('signed'),
      run: 'https://ci/1',
    });
  });

  test('fails if the stored one cannot be read', () => {
    expect(() => verificationOf({ derived: { verification: { grade: 'golden' } } })).toThrow();
  });
});

describe('a least grade', () => {
  test('is reached by itself and by those above, and always by what the service made', () => {
    const reaching = GRADES.map((least) => GRADES.filter((found) => reachesGrade(found, least)));
    expect(reaching).toEqual([
      ['stated', 'identified', 'signed', 'logged', 'observed'],
      ['identified', 'signed', 'logged', 'observed'],
      ['signed', 'logged', 'observed'],
      ['logged', 'observed'],
      ['observed'],
    ]);
  });
});
