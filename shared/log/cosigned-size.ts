import { errorFacts } from '#shared/base/error-facts.ts';
import type { RelayLog } from '#shared/http/relay-log.ts';
import { send } from '#shared/outgoing/post.ts';
import { type Checkpoint, parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { verifierKey } from '#shared/tlog/keys.ts';
import { type Note, parseNote, verifySignatures } from '#shared/tlog/notes.ts';
import type { Party } from '#shared/tlog/policy.ts';
import { originDigest } from './records/witnessed.ts';
import type { AppendServices, Witnesses } from './services.ts';

/** How long the guard waits for witnesses, in milliseconds. */
const WITNESSES_MILLIS = 1_500;

/** What the witnesses of the policy say about one log. */
export interface CosignedSize {
  /** The largest size that the log signed and a witness shows, if it is above the size of the table; 0 otherwise. */
  size: number;
  /** Whether every witness answered. */
  isComplete: boolean;
}

/**
 * Asks the witnesses of the policy which checkpoint of a log they cosigned last (rules/log.md#guard). A witness that does not
 * answer is logged only, so it does not keep entries from the log.
 *
 * @param size entries that the table has
 * @throws Error if a witness shows a larger checkpoint and the key service does not answer
 */
export async function cosignedSize(
  { witnesses, logSigner }: Pick<AppendServices, 'witnesses' | 'logSigner'>,
  { origin, size, log }: { origin: string; size: number; log: RelayLog },
): Promise<CosignedSize> {
  if (!witnesses || !logSigner) return { size: 0, isComplete: true };
  const signal = AbortSignal.timeout(WITNESSES_MILLIS);
  let isComplete = true;
  const failed = (witness: string, error: unknown) => {
    isComplete = false;
    log('A witness does not show what it cosigned last', { witness, origin, ...errorFacts(error) });
  };
  const larger: Shown[] = [];
  await Promise.all(
    [...witnesses.policy.witnesses.values()].map(async (witness) => {
      try {
        const shown = await shownCheckpoint(witnesses, witness, origin, signal);
        if (shown && shown.checkpoint.size > size) larger.push(shown);
      } catch (error) {
        failed(witness.key.name, error);
      }
    }),
  );
  if (larger.length === 0) return { size: 0, isComplete };
  const { publicKey } = await logSigner();
  const key = verifierKey(origin, 'ed25519', publicKey);
  let signed = 0;
  for (const { witness, note, checkpoint } of larger) {
    try {
      // Without this check a witness could stop the log.
      if (verifySignatures(note, [key]).length === 0) throw new Error('The log did not sign the checkpoint');
      signed = Math.max(signed, checkpoint.size);
    } catch (error) {
      failed(witness, error);
    }
  }
  return { size: signed, isComplete };
}

/** A checkpoint that a witness shows. */
interface Shown {
  witness: string;
  note: Note;
  checkpoint: Checkpoint;
}

/** @returns null if the witness has cosigned nothing of the log. @throws Error if it cannot be reached or answers otherwise */
async function shownCheckpoint(
  { guard }: Witnesses,
  { key, url }: Party,
  origin: string,
  signal: AbortSignal,
): Promise<Shown | null> {
  const address = `${url?.replace(/\/$/, '')}/${originDigest(origin)}/checkpoint`;
  const { status, bytes } = await send(address, { method: 'GET', headers: {}, body: '', guard }, signal);
  if (status === 404) return null;
  if (status !== 200) throw new Error(`The witness answered ${status}`);
  const note = parseNote(bytes.toString('utf8'));
  const checkpoint = parseCheckpoint(note.text);
  if (checkpoint.origin !== origin) throw new Error(`The witness answered a checkpoint of ${checkpoint.origin}`);
  return { witness: key.name, note, checkpoint };
}
