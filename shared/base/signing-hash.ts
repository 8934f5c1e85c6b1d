import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

type Source = string | ArrayBuffer | ArrayBufferView;

/**
 * SHA-256 for the signatures of AWS calls, plain or keyed, in the form in which the SDK's clients take one (`sha256` of
 * their settings). A call is signed with two plain and two keyed digests. Node 24 takes four times as long for a key of
 * bare bytes, which is what a signing key is, as for a key object; and a day's signing key is always the same bytes.
 */
export class SigningHash {
  readonly digestLength = 32;
  readonly #key: KeyObject | undefined;
  #pieces: Uint8Array[] = [];

  /** @param secret the key of a keyed digest */
  constructor(secret?: Source) {
    if (secret !== undefined) this.#key = typeof secret === 'string' ? keyOfText(secret) : keyOfBytes(secret);
  }

  update(piece: Source): void {
    this.#pieces.push(bytesOf(piece));
  }

  /** @returns 32 bytes */
  async digest(): Promise<Uint8Array> {
    const bytes = Buffer.concat(this.#pieces);
    return this.#key ? createHmac('sha256', this.#key).update(bytes).digest() : hash('sha256', bytes, 'buffer');
  }

  reset(): void {
    this.#pieces = [];
  }
}

/** By the very bytes that the SDK keeps for the day: they go when it drops them. */
const byBytes = new WeakMap<object, KeyObject>();

function keyOfBytes(secret: ArrayBuffer | ArrayBufferView): KeyObject {
  const known = byBytes.get(secret);
  if (known) return known;
  const key = createSecretKey(bytesOf(secret));
  byBytes.set(secret, key);
  return key;
}

/** The last text: with every call the SDK asks for a digest keyed with the secret of its credentials, the same for hours. */
let byText = { secret: '', key: createSecretKey(Buffer.alloc(0)) };

function keyOfText(secret: string): KeyObject {
  if (byText.secret !== secret) byText = { secret, key: createSecretKey(secret, 'utf8') };
  return byText.key;
}

function bytesOf(source: Source): Uint8Array {
  if (typeof source === 'string') return Buffer.from(source, 'utf8');
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}
