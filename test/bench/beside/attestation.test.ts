import { verify } from 'node:crypto';
import { expect, it } from 'vitest';
import { attestationOf } from './attestation.ts';

it('signs the statement as a DSSE envelope', () => {
  const { statement, envelope, publicKey } = attestationOf('one');
  const { payloadType, payload, signatures } = envelope;
  expect(Buffer.from(payload, 'base64').toString()).toBe(statement);
  const signed = Buffer.from(`DSSEv1 28 ${payloadType} ${statement.length} ${statement}`);
  expect(signatures.map(({ sig }) => verify('sha256', signed, publicKey, Buffer.from(sig, 'base64')))).toEqual([true]);
});

it('makes the same statement of the same name only', () => {
  expect(attestationOf('one').statement).toBe(attestationOf('one').statement);
  expect(attestationOf('one').statement).not.toBe(attestationOf('other').statement);
});
