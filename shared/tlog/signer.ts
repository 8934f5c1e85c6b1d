import { parseCheckpoint } from './checkpoint.ts';
import { cosign } from './cosignature.ts';
import type { Ed25519Key } from './ed25519.ts';
import { formatVerifierKey, type VerifierKey, verifierKey } from './keys.ts';
import type { Note, NoteSignature } from './notes.ts';

export interface Signer {
  readonly name: string;
  /** The key as text, as policies and `parseVerifierKey` take it. */
  readonly verifierKey: string;
  sign(text: string): Promise<NoteSignature>;
}

/** Returns the signer of a log. One key may sign for several logs, because the text of a checkpoint names its log. */
export function logSigner(origin: string, key: Ed25519Key): Signer {
  return signer(verifierKey(origin, 'ed25519', key.publicKey), (text) => key.sign(Buffer.from(text)));
}

/**
 * Returns the signer of a witness. It signs only checkpoints. Whether a checkpoint is consistent with earlier ones is
 * for the caller to verify.
 *
 * @param seconds returns the present time in whole seconds since the epoch
 */
export function witnessSigner(name: string, key: Ed25519Key, seconds: () => number): Signer {
  return signer(verifierKey(name, 'cosignature', key.publicKey), async (text) => {
    parseCheckpoint(text);
    return cosign(seconds(), text, (message) => key.sign(message));
  });
}

export async function signNote(text: string, signers: readonly Signer[]): Promise<Note> {
  return { text, signatures: await Promise.all(signers.map((one) => one.sign(text))) };
}

function signer(key: VerifierKey, sign: (text: string) => Promise<Buffer>): Signer {
  return {
    name: key.name,
    verifierKey: formatVerifierKey(key),
    sign: async (text) => ({ name: key.name, keyId: key.id, signature: await sign(text) }),
  };
}
