import { describe, expect, test } from 'vitest';
import { gradeOfSlot, LONGEST_STATED, signedOf, slotProof } from '#shared/evidence/rules/slot-proof.ts';
import { unsigned } from '#shared/evidence/rules/verification.ts';

const signer = { name: 'release', version: 2 };
const statement = {
  builder: { id: 'https://builder.example/v1', more: 1 },
  source: { ref: 'refs/heads/main', uri: 'https://code.example/acme/web', commit: 'c0ffee' },
  materials: ['a'],
};
const signed = { ...unsigned('signed'), signer, predicate_type: 'https://slsa.dev/provenance/v1', statement };

describe('what a slot keeps of a record', () => {
  test('is nothing where the grade follows from the author', () => {
    expect(slotProof({ type_version: 1 })).toBeUndefined();
    expect(gradeOfSlot({})).toBe('stated');
    expect(gradeOfSlot({ origin: {} })).toBe('identified');
  });

  test('is that the service made it', () => {
    expect(slotProof({ observed: true })).toEqual({ grade: 'observed' });
  });

  test('is who signed, and what conditions can read of the statement', () => {
    expect(slotProof({ verification: signed })).toEqual({
      grade: 'signed',
      signer,
      statement: {
        predicate_type: 'https://slsa.dev/provenance/v1',
        builder: { id: 'https://builder.example/v1' },
        source: statement.source,
      },
    });
  });

  test('is what recalls compare of the signature', () => {
    const more = { root: { name: 'own', version: 2, digest: 'd' }, run: 'https://ci.example/7', bundle_digest: 'b' };
    const times = [{ at: 1_700_000_000.5, from: 'log' }];
    const proof = slotProof({ verification: { ...signed, ...more, times } });
    expect(proof?.signature).toEqual({
      root: { name: 'own', version: 2 },
      run: 'https://ci.example/7',
      bundle: 'b',
      times: [1_700_000_000.5],
    });
    expect(proof && signedOf(proof)).toEqual({
      signer: 'release',
      root: { name: 'own', version: 2 },
      run: 'https://ci.example/7',
      builder: 'https://builder.example/v1',
      key: null,
      bundle: 'b',
      times: [1_700_000_000_500_000],
    });
    expect(signedOf({ grade: 'observed' })).toBeNull();
  });

  test('is the grade alone of a bundle that failed, also if an identified pipeline reported it: what it says was not verified', () => {
    const failed = { ...signed, grade: 'stated', signer: null, error: 'no signer' };
    const proof = slotProof({ verification: failed });
    expect(proof).toEqual({ grade: 'stated' });
    expect(gradeOfSlot({ ...(proof && { proof }), origin: {} })).toBe('stated');
  });

  test('leaves out texts that are too long, and members of another form', () => {
    const odd = {
      builder: { id: 'x'.repeat(LONGEST_STATED + 1) },
      source: { ref: 7, uri: 'x'.repeat(LONGEST_STATED) },
    };
    expect(slotProof({ verification: { ...signed, predicate_type: null, statement: odd } })?.statement).toEqual({
      source: { uri: 'x'.repeat(LONGEST_STATED) },
    });
    expect(slotProof({ verification: { ...signed, predicate_type: null, statement: null } })).toEqual({
      grade: 'signed',
      signer,
    });
  });
});
