import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { groups } from '#functions/groups.ts';
import { localExportFiles, localObjects } from '#infra/local/clients.ts';
import { startObjectsServer } from '#infra/local/storage/objects-server.ts';
import { localKey, privateKeyOf } from '#shared/tlog/ed25519.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import { exporterOf, type TestExporter } from '#test/support/log/exports.ts';
import { testServices } from '#test/support/services.ts';

/** A folder that is removed after the tests of the file. */
export const folder = mkdtempSync(join(tmpdir(), 'import-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes the files of an export. @returns their folder */
export function writtenTo(name: string, files: ReadonlyMap<string, Buffer>): string {
  const into = join(folder, name);
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(into, path)), { recursive: true });
    writeFileSync(join(into, path), bytes);
  }
  return into;
}

/** Another region: its own table, bucket and key of logs, a minute later. */
export async function otherRegion(): Promise<{ region: TestApi; exporter: TestExporter }> {
  const bucket = await startObjectsServer();
  afterAll(() => bucket.stop());
  const { keys } = await testServices();
  const region = await testApi(
    groups.filter(({ name }) => name !== 'meta' && name !== 'reference'),
    {
      objects: localObjects(bucket.s3),
      keys: { ...keys, log: async () => localKey(privateKeyOf(new Uint8Array(32).fill(7))) },
    },
  );
  region.services.clock.advance(60_000_000);
  return { region, exporter: exporterOf(region.services, { files: localExportFiles(bucket.s3) }) };
}
