import type { Log } from '../../environment/history/operations.ts';
import type { Receipt } from '../operations.ts';
import { type Bytes, canonicalJson, decodeHex, hex, isSame, Malformed, type Subtle, utf8 } from './encoding.ts';
import { type Checkpoint, parseCheckpoint, parseKey, parseNote, type VerifierKey, verifySignatures } from './note.ts';
import { leadsToRoot, type ProofFile, parseProofFile, sha256 } from './proof-file.ts';

/** Computes in the browser whether a receipt proves what it says (rules/web-console.md#verified-against-the-log). */

/** One step of the computation. `null` means that this browser cannot compute it. */
export interface Check {
  name: 'form' | 'entry' | 'texts' | 'proof' | 'signature' | 'newest checkpoint' | 'record';
  isRight: boolean | null;
  says: string;
}

export interface CheckedReceipt {
  checks: Check[];
  /** What the receipt says of itself; null if it cannot be read. */
  place: { index: number; size: number; hash: string; origin: string; keys: string[]; witnesses: string[] } | null;
  /** The texts that the entry commits to, by name; null for a text that was erased. */
  texts: Map<string, string | null>;
  header: Receipt['header'] | null;
}

/** What the log says of itself, which the receipt is compared with. */
interface Trust {
  log: Pick<Log, 'verifier_keys' | 'policy'>;
  /** The newest checkpoint of the log, as a note. It was read after the receipt. */
  newest: string;
}

/** The commitments whose texts no erasure removes (rules/log.md#openings). */
const LASTING = new Set(['moment', 'record', 'summary', 'content', 'entry', 'evaluation', 'context', 'policy']);

/**
 * Verifies a receipt: the entry, the texts under its commitments, the proof up to the root, the signature of the checkpoint, and
 * whether the newest checkpoint agrees.
 *
 * @returns what was computed. A receipt that is wrong is no error
 */
export async function checkReceipt(receipt: Receipt, { log, newest }: Trust, subtle: Subtle): Promise<CheckedReceipt> {
  try {
    const file = parseProofFile(receipt.proof);
    const note = parseNote(file.checkpoint);
    const checkpoint = parseCheckpoint(note.text);
    const keys = await Promise.all(keysOf(log).map((text) => parseKey(text, subtle)));
    const hash = hex(await sha256(file.entry, subtle));
    const signed = await checkSignature(file.checkpoint, checkpoint.origin, keys, subtle);
    const opened = await checkTexts(receipt, subtle);
    return {
      checks: [
        checkEntry(receipt, file, hash, checkpoint),
        opened.check,
        await checkProof(file, checkpoint, subtle),
        signed.check,
        await checkNewest(newest, checkpoint, keys, subtle),
      ],
      place: { index: file.index, size: checkpoint.size, hash, origin: checkpoint.origin, ...signed.by },
      texts: opened.texts,
      header: receipt.header,
    };
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    const check: Check = { name: 'form', isRight: false, says: `The receipt cannot be read: ${error.message}.` };
    return { checks: [check], place: null, texts: new Map(), header: null };
  }
}

/** The keys of the log, and those of the witnesses that its policy names. */
function keysOf({ verifier_keys: keys, policy }: Trust['log']): string[] {
  const witnesses = policy.split('\n').flatMap((line) => /^witness[ \t]+\S+[ \t]+(\S+)/.exec(line)?.[1] ?? []);
  return [...new Set([...keys.map(({ key }) => key), ...witnesses])];
}

/** Whether the bytes in the proof are the entry that the answer names and shows. */
function checkEntry(receipt: Receipt, { entry, index }: ProofFile, hash: string, { size }: Checkpoint): Check {
  const wrong = (says: string): Check => ({ name: 'entry', isRight: false, says });
  if (hash !== receipt.hash)
    return wrong(`The SHA-256 of the entry is ${hash}, and the receipt names ${receipt.hash}.`);
  const json = new TextDecoder().decode(entry.subarray(headerStart(entry)));
  if (json !== canonicalJson(receipt.header))
    return wrong('The header of the entry is not the one that the receipt shows.');
  if (index !== receipt.index || size !== receipt.size) {
    return wrong(
      `The proof is of leaf ${index} of ${size}, and the receipt names leaf ${receipt.index} of ${receipt.size}.`,
    );
  }
  return { name: 'entry', isRight: true, says: `The SHA-256 of the entry is ${hash}.` };
}

/** The header follows the domain, a zero, the version, and the hash of the entry before (rules/trails.md#link). */
const headerStart = (entry: Bytes): number => entry.indexOf(0) + 2 + 32;

/** Whether each text is the one under its commitment: an HMAC-SHA-256 with the salt as its key. */
async function checkTexts({ header, openings }: Receipt, subtle: Subtle) {
  const texts = new Map<string, string | null>();
  const wrong: string[] = [];
  const erased: string[] = [];
  const names = openings.map(({ name }) => name).toSorted();
  if (canonicalJson(names) !== canonicalJson(Object.keys(header.commitments).toSorted())) {
    wrong.push('The receipt does not show each text that the entry commits to.');
  }
  for (const { name, salt, text } of openings) {
    if (salt === null && text === null) {
      if (LASTING.has(name)) wrong.push(`The text «${name}» is marked as erased, and no erasure removes this text.`);
      erased.push(name);
      texts.set(name, null);
      continue;
    }
    const key = decodeHex(salt ?? '');
    if (!key || text === null || (await hmac(key, text, subtle)) !== header.commitments[name]) {
      wrong.push(`The text «${name}» is not the one that the entry commits to.`);
    } else texts.set(name, text);
  }
  const left = erased.length === 0 ? '' : ` Erased, and so not compared: ${erased.join(', ')}.`;
  const right = `${texts.size - erased.length} of ${openings.length} texts are those that the entry commits to.${left}`;
  const check: Check = {
    name: 'texts',
    isRight: wrong.length === 0,
    says: wrong.length === 0 ? right : wrong.join(' '),
  };
  return { check, texts };
}

async function hmac(salt: Bytes, text: string, subtle: Subtle): Promise<string> {
  const key = await subtle.importKey('raw', salt, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return hex(new Uint8Array(await subtle.sign('HMAC', key, utf8(text))));
}

async function checkProof(file: ProofFile, checkpoint: Checkpoint, subtle: Subtle): Promise<Check> {
  const isRight = await leadsToRoot(file, checkpoint, subtle);
  const { index, hashes } = file;
  return {
    name: 'proof',
    isRight,
    says: isRight
      ? `${hashes.length} hashes lead from leaf ${index} to the root of the checkpoint of ${checkpoint.size} leaves.`
      : `The hashes do not lead from leaf ${index} to the root of the checkpoint of ${checkpoint.size} leaves.`,
  };
}

const NO_ED25519 = 'This browser cannot check Ed25519 signatures. The signature was not checked.';

/** Whether a key of the log signed a checkpoint, and no signature of a known key is wrong. */
async function checkSignature(
  note: string,
  origin: string,
  keys: readonly VerifierKey[],
  subtle: Subtle,
): Promise<{ check: Check; by: { keys: string[]; witnesses: string[] } }> {
  const own = keys.filter(({ name, isWitness }) => isWitness || name === origin);
  const signers = await verifySignatures(parseNote(note), own, subtle);
  const of = (isRight: boolean | null, says: string): Check => ({ name: 'signature', isRight, says });
  if (signers === null) return { check: of(null, NO_ED25519), by: { keys: [], witnesses: [] } };
  const { right, wrong } = signers;
  const by = {
    keys: right.filter(({ isWitness }) => !isWitness).map(({ id }) => id),
    witnesses: right.filter(({ isWitness }) => isWitness).map(({ name }) => name),
  };
  if (wrong.length > 0) {
    return { check: of(false, `The signature of the key ${wrong.map(({ id }) => id).join(', ')} is wrong.`), by };
  }
  if (by.keys.length === 0) return { check: of(false, 'No key of the log signed the checkpoint.'), by };
  return { check: of(true, `The key ${by.keys.join(', ')} of the log signed the checkpoint.`), by };
}

/** Whether the newest checkpoint is one of the same log that is not smaller, and not another of the same size. */
async function checkNewest(
  note: string,
  { origin, size, root }: Checkpoint,
  keys: readonly VerifierKey[],
  subtle: Subtle,
): Promise<Check> {
  const of = (isRight: boolean | null, says: string): Check => ({ name: 'newest checkpoint', isRight, says });
  const newest = parseCheckpoint(parseNote(note).text);
  if (newest.origin !== origin) return of(false, `The newest checkpoint is of another log, ${newest.origin}.`);
  const { check } = await checkSignature(note, origin, keys, subtle);
  if (check.isRight === null) return of(null, NO_ED25519);
  if (!check.isRight) return of(false, `Of the newest checkpoint: ${check.says}`);
  if (newest.size < size) {
    return of(false, `The newest checkpoint has ${newest.size} leaves, and the one of the receipt has ${size}.`);
  }
  if (newest.size === size && !isSame(newest.root, root)) {
    return of(false, `The newest checkpoint has the same ${size} leaves and another root.`);
  }
  return of(true, `The newest checkpoint of the log has ${newest.size} leaves, signed by the same log.`);
}

/** The first sentence about a check: right, wrong, or not known because the browser cannot compute it. */
export function checkSentence({ place }: CheckedReceipt, checks: readonly Check[]): string {
  const wrong = checks.filter(({ isRight }) => isRight === false);
  if (wrong.length > 0) {
    return `The receipt does not verify. What failed: ${wrong.map(({ name }) => name).join(', ')}.`;
  }
  if (place === null || checks.some(({ isRight }) => isRight === null)) {
    return 'Not verified: this browser cannot compute every step.';
  }
  const { index, size, keys, witnesses } = place;
  const by = witnesses.length === 0 ? '' : `; cosigned by ${witnesses.join(', ')}`;
  return `The record shown is the one in the log: leaf ${index} of ${size}, signed by the key ${keys.join(', ')}${by}.`;
}
