import { hash } from 'node:crypto';

/** Signed statements in DSSE envelopes (rules/log.md#envelopes). */

/** The type of payload that verifiers accept for in-toto statements. */
export const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

export interface SignedPayload {
  payload: Uint8Array;
  signature: Uint8Array;
  /** SPKI in DER. */
  publicKey: Uint8Array;
}

/** Returns the bytes that are signed: the pre-authentication encoding of type and payload. */
export const preAuthEncoding = (type: string, payload: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `), payload]);

/** Returns the envelope. `sig` is an ECDSA signature as ASN.1 in DER; it and the payload are in base64. */
export const envelopeOf = ({ payload, signature, publicKey }: SignedPayload) => ({
  payload: Buffer.from(payload).toString('base64'),
  payloadType: PAYLOAD_TYPE,
  signatures: [{ keyid: keyIdOf(publicKey), sig: Buffer.from(signature).toString('base64') }],
});

export type Envelope = ReturnType<typeof envelopeOf>;

const CURVE = 'nistp256';
/** Bytes of an uncompressed point of the curve. The SPKI of a key ends with it. */
const POINT_BYTES = 65;

/**
 * Returns the OpenSSH fingerprint of a P-256 key. Verifiers pass over a signature whose key id is neither empty nor this
 * fingerprint.
 *
 * @param publicKey SPKI in DER
 */
export function keyIdOf(publicKey: Uint8Array): string {
  const fields = [Buffer.from(`ecdsa-sha2-${CURVE}`), Buffer.from(CURVE), publicKey.subarray(-POINT_BYTES)];
  const digest = hash('sha256', Buffer.concat(fields.map(sshString)), 'base64');
  return `SHA256:${digest.replace(/=+$/, '')}`;
}

/** A string of the SSH protocol: its length in four bytes, then its bytes (RFC 4251, section 5). */
function sshString(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
