import { createPrivateKey, hash } from 'node:crypto';

/** A public key for records whose content does not matter. Nobody has its private key any more. */
export const PUBLIC_KEY = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEnPzUCUaIv45BnrIIJ8TRYmRlKYh3
YkcsQQy/eTQK1co5Owk4nKe4xAo35HiWqqN5gSp81XSxGxdGEczWn4rIUw==
-----END PUBLIC KEY-----
`;

/** The head of an Ed25519 key in PKCS #8. The 32 bytes of the key follow. */
const ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A key that signs the same text always with the same signature. Everybody can compute it, so it proves nothing. */
export const KNOWN_KEY = createPrivateKey({
  key: Buffer.concat([ED25519, hash('sha256', 'a key that everybody knows', 'buffer')]),
  format: 'der',
  type: 'pkcs8',
});
