import { createHash, createHmac } from 'node:crypto';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { describe, expect, test } from 'vitest';
import { SigningHash } from '#shared/base/signing-hash.ts';

const PIECES = [[], [''], ['text'], ['in ', '', 'pieces, ä'], ['x'.repeat(10_000)]];
const text = 'a secret, ä';
const bytes = new TextEncoder().encode(text);
const SECRETS = {
  none: undefined,
  text,
  'no text': '',
  bytes,
  'a part of a buffer': new Uint8Array(Uint8Array.of(9, ...bytes, 9).buffer, 1, bytes.length),
  'an array buffer': bytes.buffer,
  'no bytes': new Uint8Array(),
};

const expected = (secret: (typeof SECRETS)[keyof typeof SECRETS], whole: string) => {
  if (secret === undefined) return createHash('sha256').update(whole).digest('hex');
  const key = secret instanceof ArrayBuffer ? new Uint8Array(secret) : secret;
  return createHmac('sha256', key).update(whole).digest('hex');
};

const digestOf = async (secret: (typeof SECRETS)[keyof typeof SECRETS], pieces: readonly string[]) => {
  const hash = new SigningHash(secret);
  for (const [i, piece] of pieces.entries()) hash.update(i % 2 === 0 ? piece : new TextEncoder().encode(piece));
  return Buffer.from(await hash.digest()).toString('hex');
};

describe('the digest', () => {
  test.each(Object.entries(SECRETS))('is that of the runtime, keyed with %s', async (_, secret) => {
    for (const pieces of PIECES) {
      for (let again = 0; again < 2; again += 1) {
        expect(await digestOf(secret, pieces)).toBe(expected(secret, pieces.join('')));
      }
    }
  });

  test('follows the secret when it changes, and changes back', async () => {
    for (const secret of ['one', 'two', 'one', Buffer.from('one'), Buffer.from('two')]) {
      const hash = new SigningHash(secret);
      hash.update('text');
      const runtime = createHmac('sha256', secret).update('text').digest();
      expect(Buffer.compare(await hash.digest(), runtime)).toBe(0);
    }
  });

  test('begins anew after a reset, with the same secret', async () => {
    const hash = new SigningHash('secret');
    hash.update('before');
    hash.reset();
    hash.update('after');
    expect(Buffer.compare(await hash.digest(), createHmac('sha256', 'secret').update('after').digest())).toBe(0);
  });
});

test("signs as the SDK's own hash does", async () => {
  const settings = { region: 'eu-central-1', credentials: { accessKeyId: 'ID', secretAccessKey: 'secret' } };
  const signed = (client: S3Client) =>
    getSignedUrl(client, new GetObjectCommand({ Bucket: 'bucket', Key: 'key' }), {
      signingDate: new Date('2026-01-01T00:00:00Z'),
    });
  const ours = await signed(new S3Client({ ...settings, sha256: SigningHash }));
  expect(ours).toMatch(/X-Amz-Signature=[0-9a-f]{64}/);
  expect(ours).toBe(await signed(new S3Client(settings)));
});
