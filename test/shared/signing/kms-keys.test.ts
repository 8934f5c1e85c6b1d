import { createPublicKey, verify } from 'node:crypto';
import { KMSClient } from '@aws-sdk/client-kms';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LocalServer } from '#infra/local/http.ts';
import { loadKeys } from '#infra/local/keys/key-files.ts';
import { startKeyServer } from '#infra/local/keys/key-server.ts';
import { localClient } from '#infra/local/settings.ts';
import { kmsKeys, kmsSigner, kmsStatementSigner } from '#shared/signing/kms-keys.ts';
import { counted, meter, newCount } from '#shared/table/meter.ts';
import { verifyEd25519 } from '#shared/tlog/ed25519.ts';

const IDS = { log: 'log', witness: 'witness', statement: 'statement' };
/** Longer than any message that a key of the key service takes itself. */
const LONG = Buffer.alloc(10_000, 'statement');

let server: LocalServer;
let kms: KMSClient;
beforeAll(async () => {
  server = await startKeyServer(loadKeys());
  kms = meter(new KMSClient(localClient(server.endpoint)), 'KMS');
});
afterAll(async () => {
  kms.destroy();
  await server.stop();
});

describe('keys of the key service', () => {
  it('sign notes with Ed25519, over the text itself', async () => {
    const { publicKey, sign } = await kmsSigner(kms, 'log');
    expect(publicKey.length).toBe(32);
    const signature = await sign(Buffer.from('text'));
    expect(verifyEd25519(publicKey, Buffer.from('text'), signature)).toBe(true);
    expect(verifyEd25519(publicKey, Buffer.from('other'), signature)).toBe(false);
  });

  it('sign statements of any length with ECDSA on P-256, in DER', async () => {
    const { publicKey, sign } = await kmsStatementSigner(kms, 'statement');
    const key = createPublicKey({ key: publicKey, format: 'der', type: 'spki' });
    expect(verify('sha256', LONG, key, await sign(LONG))).toBe(true);
  });

  it('are fetched once, at their first use', async () => {
    const keys = kmsKeys(kms, IDS);
    const count = newCount();
    await counted(async () => {
      const [one, other] = await Promise.all([keys.log(), keys.log()]);
      expect(other).toBe(one);
      await keys.log();
    }, count);
    expect(count.log.map(({ name }) => name)).toEqual(['KMS.GetPublicKey']);
  });

  it('are fetched again after a failure', async () => {
    const keys = kmsKeys(kms, IDS);
    const stopped = new KMSClient({ ...localClient('http://127.0.0.1:1'), maxAttempts: 1 });
    let failing = true;
    const either = { send: (command: never) => (failing ? stopped : kms).send(command) } as unknown as KMSClient;
    const unsteady = kmsKeys(either, IDS);
    await expect(unsteady.log()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    failing = false;
    expect((await unsteady.log()).publicKey).toEqual((await keys.log()).publicKey);
  });

  it('are refused if they are of another kind or not set', async () => {
    await expect(kmsSigner(kms, 'statement')).rejects.toThrow('The key is of the type ec');
    await expect(kmsStatementSigner(kms, 'log')).rejects.toThrow('is not on the curve P-256');
    await expect(kmsKeys(kms, {}).witness()).rejects.toThrow('no setting for the key witness');
  });
});
