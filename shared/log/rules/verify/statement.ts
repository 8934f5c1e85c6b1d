import { hash, type KeyObject, verify } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Checkpoint } from '#shared/tlog/checkpoint.ts';
import type { VerifierKey } from '#shared/tlog/keys.ts';
import { openCheckpoint, type Policy } from '#shared/tlog/policy.ts';
import { verifyInclusion } from '#shared/tlog/proofs.ts';
import { leafHash } from '#shared/tlog/tree.ts';
import { type Envelope, envelopeOf, PAYLOAD_TYPE, preAuthEncoding } from '../dsse.ts';
import { bundleOf } from '../sigstore-bundle.ts';
import { Fault, inPlace } from './fault.ts';
import { fitting, parsed } from './json.ts';

/** What the bundle of a statement states (rules/verification.md#statements-of-an-export). */
const Bundle = z.object({
  verificationMaterial: z.object({
    tlogEntries: z
      .array(
        z.object({
          logIndex: z.coerce.number().int().min(0),
          inclusionProof: z.object({ hashes: z.array(z.base64()) }),
          canonicalizedBody: z.base64(),
        }),
      )
      .length(1),
  }),
  dsseEnvelope: z.object({
    payload: z.base64(),
    payloadType: z.literal(PAYLOAD_TYPE),
    signatures: z.array(z.object({ sig: z.base64() })).length(1),
  }),
});

const LoggedStatement = z.object({
  spec: z.object({
    hashedRekordV002: z.object({
      data: z.object({ digest: z.base64() }),
      signature: z.object({
        content: z.base64(),
        verifier: z.object({ publicKey: z.object({ rawBytes: z.base64() }) }),
      }),
    }),
  }),
});

/** The checkpoint that proves a statement, and whose keys count. */
export interface LogTrust {
  checkpoint: Checkpoint;
  /** The text of the signed checkpoint. */
  signed: string;
  keys: readonly VerifierKey[];
}

/** Compares what a bundle states of the entry with the log. */
type OnEntry = (path: string, logged: { digest: string; entry: Buffer; index: number }) => void;

/** Where a bundle has the checkpoint that its proof leads to. */
const WithCheckpoint = z.object({
  verificationMaterial: z.object({
    tlogEntries: z.tuple([
      z.object({
        logIndex: z.coerce.number(),
        inclusionProof: z.object({ checkpoint: z.object({ envelope: z.string() }) }),
      }),
    ]),
  }),
});

/**
 * Verifies a bundle by the checkpoint that it holds, for somebody who has nothing else of the log.
 *
 * @param policy whose keys count
 * @returns the envelope of the statement, the index of its entry, and the checkpoint
 * @throws Fault
 */
export function verifyStatement(place: string, text: string, policy: Policy, key: KeyObject) {
  const { verificationMaterial } = fitting(place, WithCheckpoint, parsed(place, text, 'statement'));
  const [{ logIndex: index, inclusionProof }] = verificationMaterial.tlogEntries;
  const signed = inclusionProof.checkpoint.envelope;
  const checkpoint = inPlace(place, () => openCheckpoint(signed, policy));
  const trust = { checkpoint, signed, keys: policy.logs.map((log) => log.key) };
  return { checkpoint, index, envelope: verifyBundle(() => undefined, trust, place, text, key) };
}

/** Verifies one bundle against a checkpoint. @returns the envelope of its statement @throws Fault */
export function verifyBundle(
  onEntry: OnEntry,
  { checkpoint, signed, keys }: LogTrust,
  path: string,
  text: string,
  key: KeyObject | null,
): Envelope {
  const json = parsed(path, text, 'statement');
  const { verificationMaterial, dsseEnvelope } = fitting(path, Bundle, json);
  const [entry] = verificationMaterial.tlogEntries;
  const [envelope] = dsseEnvelope.signatures;
  if (!entry || !envelope) throw new Fault(path, 'the bundle has no entry or no signature');
  const index = entry.logIndex;
  const body = Buffer.from(entry.canonicalizedBody, 'base64');
  const logged = fitting(path, LoggedStatement, parsed(path, body.toString('utf8'), 'statement')).spec.hashedRekordV002;
  const payload = Buffer.from(dsseEnvelope.payload, 'base64');
  const message = preAuthEncoding(PAYLOAD_TYPE, payload);
  const digest = hash('sha256', message, 'buffer');
  // Verifiers of other authors build the entry from the statement and do not look at the one in the bundle.
  if (digest.toString('base64') !== logged.data.digest)
    throw new Fault(path, 'the logged digest is not that of the statement');
  if (envelope.sig !== logged.signature.content) {
    throw new Fault(path, 'the logged signature is not that of the statement');
  }
  onEntry(path, { digest: digest.toString('hex'), entry: body, index });
  const hashes = entry.inclusionProof.hashes.map((one) => Buffer.from(one, 'base64'));
  if (!verifyInclusion({ index, leaf: leafHash(body), proof: hashes }, checkpoint)) {
    throw new Fault(path, 'the proof of the bundle does not lead to the root of the checkpoint');
  }
  // The rest of the bundle follows from what is verified, so it is made again.
  const parts = {
    payload,
    signature: Buffer.from(envelope.sig, 'base64'),
    publicKey: Buffer.from(logged.signature.verifier.publicKey.rawBytes, 'base64'),
  };
  const { size, root } = checkpoint;
  const isExact = keys.some((log) =>
    isDeepStrictEqual(json, bundleOf(parts, body, { log, index, size, root, hashes, checkpoint: signed })),
  );
  if (!isExact) throw new Fault(path, 'the bundle is not the one of this statement and this checkpoint');
  if (key && !verify('sha256', message, key, parts.signature)) {
    throw new Fault(path, 'the given key of statements did not sign the statement');
  }
  return envelopeOf(parts);
}
