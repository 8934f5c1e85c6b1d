import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { GetPublicKeyCommand, type KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { type Ed25519Key, rawPublicKey } from '#shared/tlog/ed25519.ts';
import { NO_KEYS, type SigningKeys, type StatementKey } from './keys.ts';

/** Ids or ARNs of the keys. A function has those that it may use. */
type KeyIds = Readonly<Partial<Record<keyof SigningKeys, string | undefined>>>;

/** Returns the keys of the key service. The public half of each is fetched once. */
export const kmsKeys = (kms: KMSClient, { log, witness, statement }: KeyIds): SigningKeys => ({
  log: log === undefined ? NO_KEYS.log : once(() => kmsSigner(kms, log)),
  witness: witness === undefined ? NO_KEYS.witness : once(() => kmsSigner(kms, witness)),
  statement: statement === undefined ? NO_KEYS.statement : once(() => kmsStatementSigner(kms, statement)),
});

/** Calls `make` until it has succeeded once. A failure is not remembered, so that the next caller tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/**
 * Returns an Ed25519 key of the key service. It signs messages themselves and not digests of them, as signed notes want
 * (RFC 8032, PureEdDSA).
 *
 * @throws Error if the key service fails, or if the key is of another kind
 */
export async function kmsSigner(kms: KMSClient, keyId: string): Promise<Ed25519Key> {
  return {
    publicKey: rawPublicKey(await publicKeyOf(kms, keyId)),
    sign: (message) =>
      sign(kms, { KeyId: keyId, Message: message, MessageType: 'RAW', SigningAlgorithm: 'ED25519_SHA_512' }),
  };
}

/** Returns a P-256 key of the key service. @throws Error if the key service fails, or if the key is of another kind */
export async function kmsStatementSigner(kms: KMSClient, keyId: string): Promise<StatementKey> {
  const publicKey = await publicKeyOf(kms, keyId);
  const { namedCurve } = publicKey.asymmetricKeyDetails ?? {};
  if (namedCurve !== 'prime256v1') throw new TypeError(`The key ${keyId} is not on the curve P-256`);
  return {
    publicKey: publicKey.export({ format: 'der', type: 'spki' }),
    sign: (message) =>
      sign(kms, {
        KeyId: keyId,
        Message: createHash('sha256').update(message).digest(),
        MessageType: 'DIGEST',
        SigningAlgorithm: 'ECDSA_SHA_256',
      }),
  };
}

async function publicKeyOf(kms: KMSClient, keyId: string): Promise<KeyObject> {
  const { PublicKey } = await kms.send(new GetPublicKeyCommand({ KeyId: keyId }));
  if (!PublicKey) throw new Error(`The key service answered without the public half of ${keyId}`);
  return createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' });
}

async function sign(kms: KMSClient, input: ConstructorParameters<typeof SignCommand>[0]): Promise<Buffer> {
  const { Signature } = await kms.send(new SignCommand(input));
  if (!Signature) throw new Error(`The key service answered without a signature of ${input.KeyId}`);
  return Buffer.from(Signature);
}
