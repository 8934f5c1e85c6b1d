import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetPublicKeyCommand, KMSClient, SignCommand, type SignCommandInput } from '@aws-sdk/client-kms';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { LocalServer } from '#infra/local/http.ts';
import { loadKeys } from '#infra/local/keys/key-files.ts';
import { startKeyServer } from '#infra/local/keys/key-server.ts';
import { localClient } from '#infra/local/settings.ts';
import { StartError } from '#infra/local/start-error.ts';
import { SIGNING_KEYS } from '#shared/table/uses.ts';

describe('the key files', () => {
  const folder = () => {
    const parent = mkdtempSync(join(tmpdir(), 'keys-'));
    onTestFinished(() => rmSync(parent, { recursive: true }));
    return join(parent, 'keys');
  };

  it('are made at the first start, for the owner only, and read at every other', () => {
    const keys = folder();
    const made = loadKeys(keys);
    expect(readdirSync(keys).toSorted()).toEqual(['log.pem', 'statement.pem', 'witness.pem']);
    for (const file of readdirSync(keys)) expect(statSync(join(keys, file)).mode & 0o777).toBe(0o600);
    expect(statSync(keys).mode & 0o777).toBe(0o700);
    const read = loadKeys(keys);
    for (const name of SIGNING_KEYS) expect(read[name].equals(made[name])).toBe(true);
    expect(read.log.equals(read.witness)).toBe(false);
  });

  it('prevent the start if they cannot be read, and are not replaced', () => {
    const keys = folder();
    loadKeys(keys);
    writeFileSync(join(keys, 'log.pem'), 'no key');
    expect(() => loadKeys(keys)).toThrow(StartError);
    expect(readFileSync(join(keys, 'log.pem'), 'utf8')).toBe('no key');
  });
});

describe('the key server', () => {
  let server: LocalServer;
  let kms: KMSClient;
  beforeAll(async () => {
    server = await startKeyServer(loadKeys());
    kms = new KMSClient(localClient(server.endpoint));
  });
  afterAll(async () => {
    kms.destroy();
    await server.stop();
  });

  const digest: SignCommandInput = {
    KeyId: 'statement',
    Message: Buffer.alloc(32),
    MessageType: 'DIGEST',
    SigningAlgorithm: 'ECDSA_SHA_256',
  };
  it.each<[string, Partial<SignCommandInput>, string]>([
    ['an unknown key', { KeyId: 'other' }, 'NotFoundException'],
    ['an algorithm of another kind of key', { SigningAlgorithm: 'ED25519_SHA_512' }, 'ValidationException'],
    ['a digest of another length', { Message: Buffer.alloc(31) }, 'ValidationException'],
    ['a message that is too long', { KeyId: 'log', Message: Buffer.alloc(4_097) }, 'ValidationException'],
    [
      'a prehashed message of an Ed25519 key',
      { KeyId: 'log', SigningAlgorithm: 'ED25519_PH_SHA_512' },
      'ValidationException',
    ],
  ])('refuses to sign as the key service does: %s', async (_, input, name) => {
    await expect(kms.send(new SignCommand({ ...digest, ...input }))).rejects.toMatchObject({
      name,
      $metadata: { httpStatusCode: 400 },
    });
  });

  it('refuses the public half of an unknown key', async () => {
    await expect(kms.send(new GetPublicKeyCommand({ KeyId: 'other' }))).rejects.toMatchObject({
      name: 'NotFoundException',
    });
  });
});
