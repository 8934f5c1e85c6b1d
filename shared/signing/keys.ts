import type { Ed25519Key } from '#shared/tlog/ed25519.ts';

/** A key pair for statements: ECDSA on the curve P-256 with SHA-256. Its private half lies in the key service. */
export interface StatementKey {
  /** SPKI in DER. */
  readonly publicKey: Buffer;
  /** Signs the SHA-256 digest of a message. Returns the signature as ASN.1 in DER. */
  sign(message: Uint8Array): Promise<Buffer>;
}

/**
 * The keys of a region (rules/log.md#signing-keys). A key is asked for at its first use, because only then the key service is
 * called for its public half.
 */
export interface SigningKeys {
  /** Signs the checkpoints of all logs. */
  log(): Promise<Ed25519Key>;
  /** Cosigns checkpoints of logs of other regions. */
  witness(): Promise<Ed25519Key>;
  statement(): Promise<StatementKey>;
}

/** Stands for the keys in a function that uses none. */
export const NO_KEYS: SigningKeys = {
  log: () => refuse('log'),
  witness: () => refuse('witness'),
  statement: () => refuse('statement'),
};

const refuse = (name: keyof SigningKeys) =>
  Promise.reject(new Error(`This function has no setting for the key ${name}`));
