import { createHash, generateKeyPairSync, sign } from 'node:crypto';

/** A signed statement about a build. All systems get the same bytes. */
export interface Attestation {
  /** The statement as JSON. */
  statement: string;
  envelope: Envelope;
  /** The key of the signature, in PEM. */
  publicKey: string;
}

/** An envelope of DSSE. */
export interface Envelope {
  payloadType: string;
  /** The statement in base64. */
  payload: string;
  signatures: { sig: string }[];
}

const TYPE = 'application/vnd.in-toto+json';
const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const publicKey = keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Makes a statement of about 2 KB that does not compress, and signs it. Another name gives another statement. */
export function attestationOf(name: string): Attestation {
  const statement = JSON.stringify({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'registry.example/web', digest: { sha256: sha256(name) } }],
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: { result: 'PASSED', noise: Array.from({ length: 26 }, (_, i) => sha256(`${name} ${i}`)).join('') },
  });
  const signed = `DSSEv1 ${TYPE.length} ${TYPE} ${Buffer.byteLength(statement)} ${statement}`;
  const sig = sign('sha256', Buffer.from(signed), keys.privateKey).toString('base64');
  const payload = Buffer.from(statement).toString('base64');
  return { statement, envelope: { payloadType: TYPE, payload, signatures: [{ sig }] }, publicKey };
}
