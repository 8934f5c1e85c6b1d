import { describe, expect, it } from 'vitest';
import { sealSentence, workflowOf } from '#console/trail/attestation/model/seal.ts';
import { GRADES, unsigned, type Verification } from '#shared/evidence/rules/verification.ts';

const say = (given: Partial<Verification>): string =>
  sealSentence({ verification: { ...unsigned('stated'), ...given }, created_by: 'ci' });
const signer = { name: 'release', version: 2 };

describe('the sentence of a seal', () => {
  it('names who signed, and what proves when', () => {
    expect(say({ grade: 'signed', signer })).toBe('Signed by release. Nothing proves when.');
    const at = 1_782_864_000;
    expect(say({ grade: 'logged', signer, times: [{ at, from: 'timestamp authority' }] })).toBe(
      'Signed by release, and a timestamp authority proves when.',
    );
  });

  it('says that nothing is signed', () => {
    expect(say({ grade: 'stated' })).toBe('Nothing is signed: ci stated it with a key.');
    expect(say({ grade: 'identified' })).toMatch(/^Nothing is signed, but an issuer proved/);
    expect(say({ grade: 'observed' })).toBe('The service recorded it itself.');
  });

  it.each(GRADES)('says why a signature was not verified, whatever else the record says: %s', (grade) => {
    expect(say({ grade, signer, error: 'The certificate is expired' })).toBe(
      'The signature was not verified: The certificate is expired. So it counts as what ci only stated.',
    );
  });
});

describe('the workflow of a signature', () => {
  it('is the one that signed, which can be another one than was started', () => {
    const claims = { build_config_uri: 'https://a.example/1', build_signer_uri: 'https://b.example/2' };
    expect(workflowOf({ ...unsigned('signed'), claims })).toBe('https://b.example/2');
    expect(workflowOf({ ...unsigned('signed'), claims: { build_config_uri: 'https://a.example/1' } })).toBe(
      'https://a.example/1',
    );
    expect(workflowOf(unsigned('signed'))).toBeNull();
  });
});
