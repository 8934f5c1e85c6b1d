import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { type Envelope, envelopeOf, PAYLOAD_TYPE, preAuthEncoding } from '#shared/log/rules/dsse.ts';
import { bundleOf, statementEntry } from '#shared/log/rules/sigstore-bundle.ts';
import type { Checkpoint } from '#shared/tlog/checkpoint.ts';
import type { VerifierKey } from '#shared/tlog/keys.ts';
import { verifyInclusion } from '#shared/tlog/proofs.ts';
import { leafHash } from '#shared/tlog/tree.ts';
import { Fault } from './fault.ts';
import { Body, openBody } from './records/bodies.ts';
import { fitting, Hex32, LogIndex, parsed, recordsOf } from './records/lines.ts';
import type { ProofState } from './records/proof-state.ts';

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

const StatementLine = z.object({
  id: z.string(),
  digest: Hex32,
  signature: z.hex(),
  publicKey: z.hex(),
  payload: Body,
  log_index: LogIndex,
});

interface StatementTrust {
  checkpoint: Checkpoint;
  /** The text of the signed checkpoint. */
  signed: string;
  keys: readonly VerifierKey[];
  /** The key of statements. Without it, statements are compared with the log only. */
  pem: string | undefined;
}

const FOLDER = 'data/statements/';
const SUFFIX = '.sigstore.json';

/** Verifies the statements of an export. @returns how many signatures were verified @throws Fault */
export async function verifyStatements(state: ProofState, trust: StatementTrust): Promise<number> {
  const { files } = state;
  const key = trust.pem === undefined ? null : createPublicKey(trust.pem);
  const digests = await verifyRecords(state);
  const envelopes = new Map<string, string>();
  const bundles: string[] = [];
  const others: string[] = [];
  for (const path of files.facts.keys()) {
    if (path.startsWith(FOLDER)) (path.endsWith(SUFFIX) ? bundles : others).push(path);
  }
  for (const path of bundles) {
    const text = (await files.read(path)).toString('utf8');
    const envelope = verifyBundle((at, logged) => state.statement(at, logged), trust, path, text, key);
    if (digests.get(path) !== digestOf(envelope)) throw new Fault(path, 'no record of this id has this statement');
    envelopes.set(hash('sha256', canonicalJson(envelope)), path);
  }
  for (const path of others) {
    if (!/^all(-\d{4})?\.intoto\.jsonl$/.test(path.slice(FOLDER.length))) {
      throw new Fault(path, 'an export has no such file of statements');
    }
    const lines = (await files.read(path)).toString('utf8').split('\n');
    if (lines.pop() !== '') throw new Fault(path, 'the last line has no line feed at its end');
    for (const [i, line] of lines.entries()) {
      if (envelopes.delete(hash('sha256', line))) continue;
      throw new Fault(`${path}: line ${i + 1}`, 'the line is not the envelope of a bundle, or an earlier line has it');
    }
  }
  const [missing] = envelopes.values();
  if (missing !== undefined) throw new Fault(`${FOLDER}all.intoto.jsonl`, `no line has the envelope of ${missing}`);
  return key ? bundles.length : 0;
}

/** The digest that the log has of a statement, in hex. */
const digestOf = ({ payload }: Envelope): string =>
  hash('sha256', preAuthEncoding(PAYLOAD_TYPE, Buffer.from(payload, 'base64')));

/**
 * Verifies that each record is in the log, and that the bundle of each statement that is not erased is there.
 * @returns the digests of the statements by the paths of their bundles
 */
async function verifyRecords(state: ProofState): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for await (const [place, record] of recordsOf(state, 'statements', StatementLine)) {
    const { id, digest, signature, publicKey, payload, log_index: index } = record;
    const entry = statementEntry({
      digest: Buffer.from(digest, 'hex'),
      signature: Buffer.from(signature, 'hex'),
      publicKey: Buffer.from(publicKey, 'hex'),
    });
    digests.set(FOLDER + id + SUFFIX, digest);
    const isLogged = state.statementRecord(place, { digest, entry, index });
    const opened = await openBody(state.files, place, payload);
    if (opened && hash('sha256', preAuthEncoding(PAYLOAD_TYPE, opened.text)) !== digest) {
      throw new Fault(place, 'the text is not the one that was signed');
    }
    if (!isLogged) state.scope.stands('statements/statement', 'later');
    else if (!opened) {
      state.scope.stands('statements/statement', state.erased(place, index, 'statement'));
    } else if (!state.files.facts.has(FOLDER + id + SUFFIX)) {
      throw new Fault(FOLDER + id + SUFFIX, `the file is missing, and ${place} has its statement`);
    }
  }
  return digests;
}

/** Compares what a bundle states of the entry with the log. */
type OnEntry = (path: string, logged: { digest: string; entry: Buffer; index: number }) => void;

/** Verifies one bundle against a checkpoint. @returns the envelope of its statement @throws Fault */
export function verifyBundle(
  onEntry: OnEntry,
  { checkpoint, signed, keys }: StatementTrust,
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
