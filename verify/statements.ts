import { createPublicKey, hash } from 'node:crypto';
import * as z from 'zod';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { type Envelope, PAYLOAD_TYPE, preAuthEncoding } from '#shared/log/rules/dsse.ts';
import { statementEntry } from '#shared/log/rules/sigstore-bundle.ts';
import { type LogTrust, verifyBundle } from '#shared/log/rules/verify/statement.ts';
import { Fault } from './fault.ts';
import { Body, openBody } from './records/bodies.ts';
import { Hex32, LogIndex, recordsOf } from './records/lines.ts';
import type { ProofState } from './records/proof-state.ts';

const StatementLine = z.object({
  id: z.string(),
  digest: Hex32,
  signature: z.hex(),
  publicKey: z.hex(),
  payload: Body,
  log_index: LogIndex,
});

export interface StatementTrust extends LogTrust {
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
