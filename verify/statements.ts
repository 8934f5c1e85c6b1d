import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import * as z from 'zod';
import { Fault } from './fault.ts';
import { fitting } from './records/lines.ts';
import type { ProofState } from './records/proof-state.ts';

/** A sigstore bundle of a statement, as far as it is verified here (rules/verification.md#statements). */
const Bundle = z.object({
  verificationMaterial: z.object({
    tlogEntries: z
      .array(z.object({ logIndex: z.coerce.number().int().min(0), canonicalizedBody: z.base64() }))
      .length(1),
  }),
  dsseEnvelope: z.object({
    payload: z.base64(),
    payloadType: z.literal('application/vnd.in-toto+json'),
    signatures: z.array(z.object({ sig: z.base64() })).length(1),
  }),
});

const LoggedStatement = z.object({
  spec: z.object({
    hashedRekordV002: z.object({
      data: z.object({ algorithm: z.literal('SHA2_256'), digest: z.base64() }),
      signature: z.object({
        content: z.base64(),
        verifier: z.object({ publicKey: z.object({ rawBytes: z.base64() }) }),
      }),
    }),
  }),
});

const FOLDER = 'data/statements/';

/** Verifies the statements of an export. @returns how many @throws Fault */
export async function verifyStatements(state: ProofState, pem: string | undefined): Promise<number> {
  const key = pem === undefined ? null : createPublicKey(pem);
  const paths = [...state.files.facts.keys()].filter(
    (path) => path.startsWith(FOLDER) && path.endsWith('.sigstore.json'),
  );
  for (const path of paths) verifyBundle(state, path, (await state.files.read(path)).toString('utf8'), key);
  return key ? paths.length : 0;
}

function verifyBundle(state: ProofState, path: string, text: string, key: KeyObject | null): void {
  const { verificationMaterial, dsseEnvelope } = fitting(path, Bundle, parsedJson(path, text));
  const [{ logIndex, canonicalizedBody } = { logIndex: 0, canonicalizedBody: '' }] = verificationMaterial.tlogEntries;
  const body = Buffer.from(canonicalizedBody, 'base64');
  const logged = fitting(path, LoggedStatement, parsedJson(path, body.toString('utf8'))).spec.hashedRekordV002;
  const payload = Buffer.from(dsseEnvelope.payload, 'base64');
  const message = preAuthEncoding(dsseEnvelope.payloadType, payload);
  const digest = hash('sha256', message, 'buffer');
  // Verifiers of other authors build the entry from the statement and do not look at the one in the bundle.
  if (digest.toString('base64') !== logged.data.digest)
    throw new Fault(path, 'the logged digest is not that of the statement');
  const [{ sig } = { sig: '' }] = dsseEnvelope.signatures;
  if (sig !== logged.signature.content) throw new Fault(path, 'the logged signature is not that of the statement');
  state.statement(path, { digest: digest.toString('hex'), entry: body, index: logIndex });
  if (key && !verify('sha256', message, key, Buffer.from(sig, 'base64'))) {
    throw new Fault(path, 'the given key of statements did not sign the statement');
  }
}

/** The bytes that a DSSE signature covers. */
export const preAuthEncoding = (type: string, payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `), payload]);

function parsedJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Fault(path, 'the statement is not JSON', error);
  }
}
