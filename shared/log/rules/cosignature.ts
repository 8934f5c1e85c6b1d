import { TlogError } from '#shared/tlog/errors.ts';
import type { VerifierKey } from '#shared/tlog/keys.ts';
import { type NoteSignature, parseNote, parseSignatures, verifySignatures } from '#shared/tlog/notes.ts';
import { type Policy, satisfied } from '#shared/tlog/policy.ts';

/**
 * Returns the cosignature of a witness from the signature lines that it answered (rules/log.md#asking-witnesses).
 *
 * @returns undefined if the answer has no valid cosignature with this key
 */
export function cosignatureOf(bytes: Buffer, text: string, key: VerifierKey): NoteSignature | undefined {
  try {
    const own = parseSignatures(bytes.toString('utf8')).filter(
      ({ name, keyId }) => name === key.name && keyId === key.id,
    );
    const [signature] = own;
    const isValid = verifySignatures({ text, signatures: own }, [key]).length > 0;
    return isValid ? signature : undefined;
  } catch (error) {
    if (error instanceof TlogError) return undefined;
    throw error;
  }
}

/**
 * Whether the witnesses of a policy cosigned a stored checkpoint: its quorum, and with `quorum none` at least one of them. A
 * wrong cosignature counts as none, so it is asked for again.
 */
export function isCosignedBy(policy: Policy, text: string): boolean {
  try {
    const note = parseNote(text);
    const keys = [...policy.witnesses.values()].map(({ key }) => key);
    return verifySignatures(note, keys).length > 0 && satisfied(policy, note);
  } catch (error) {
    if (error instanceof TlogError) return false;
    throw error;
  }
}
