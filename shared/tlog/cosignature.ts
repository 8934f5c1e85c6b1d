import { SIGNATURE_BYTES, verifyEd25519 } from './ed25519.ts';

/**
 * Cosignatures of checkpoints by witnesses: `cosignature/v1` with Ed25519 (C2SP tlog-cosignature;
 * rules/log.md#cosignatures).
 * A cosignature is the time in seconds as 64 bits, high byte first, followed by the signature.
 */

const TIME_BYTES = 8;

/** Returns the bytes that a witness signs for a checkpoint that it saw at `seconds` since the epoch. */
const cosignatureMessage = (seconds: number, text: string): Buffer =>
  Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`);

/** Cosigns the text of a checkpoint. @param seconds whole seconds since the epoch */
export async function cosign(
  seconds: number,
  text: string,
  sign: (message: Buffer) => Promise<Buffer>,
): Promise<Buffer> {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeBigUInt64BE(BigInt(seconds));
  return Buffer.concat([time, await sign(cosignatureMessage(seconds, text))]);
}

/** Returns the time of a cosignature in seconds since the epoch, or undefined if the cosignature is wrong. */
export function verifyCosignature(text: string, cosignature: Buffer, publicKey: Uint8Array): number | undefined {
  if (cosignature.length !== TIME_BYTES + SIGNATURE_BYTES) return undefined;
  const seconds = Number(cosignature.readBigUInt64BE());
  if (!Number.isSafeInteger(seconds)) return undefined;
  const message = cosignatureMessage(seconds, text);
  return verifyEd25519(publicKey, message, cosignature.subarray(TIME_BYTES)) ? seconds : undefined;
}
