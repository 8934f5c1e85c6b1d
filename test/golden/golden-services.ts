import { afterAll } from 'vitest';
import { localExportFiles, localKeys, localObjects } from '#infra/local/clients.ts';
import { startKeyServer } from '#infra/local/keys/key-server.ts';
import { startObjectsServer } from '#infra/local/storage/objects-server.ts';
import type { Micros } from '#shared/base/time.ts';
import { formatVerifierKey, verifierKey } from '#shared/tlog/keys.ts';
import { movableClock, steppingClock } from '#test/support/clock.ts';
import { holdExportFiles, holdKeys, holdObjects } from '#test/support/declared-uses.ts';
import type { TestServices } from '#test/support/services.ts';
import { testTable } from '#test/support/table.ts';
import { GOLDEN_KEYS } from './golden-keys.ts';

/** The end of the origins of the logs that the witness of a golden table knows. */
export const WITNESSED_DOMAIN = 'other.log.example.com';

/** Returns the setting of the witness, which knows one log of another region. */
export const witnessedLogs = (publicKey: Buffer): string =>
  formatVerifierKey(verifierKey(WITNESSED_DOMAIN, 'ed25519', publicKey));

/**
 * Returns a table and a bucket of their own, and the keys of golden tables. They end with the file.
 *
 * @param readAt the instant at which the clock begins, which then moves by steps; without it the clock runs
 */
export async function goldenServices(
  readAt?: Micros,
): Promise<Pick<TestServices, 'table' | 'objects' | 'files' | 'keys' | 'clock'> & { s3: string }> {
  const objects = await startObjectsServer();
  const keys = await startKeyServer(GOLDEN_KEYS);
  afterAll(() => Promise.all([objects.stop(), keys.stop()]));
  return {
    s3: objects.s3,
    table: await testTable(),
    objects: holdObjects(localObjects(objects.s3)),
    files: holdExportFiles(localExportFiles(objects.s3)),
    keys: holdKeys(localKeys(keys.endpoint)),
    clock: readAt === undefined ? movableClock() : steppingClock(readAt),
  };
}
