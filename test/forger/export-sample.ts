import { createPublicKey } from 'node:crypto';
import { type Id, storedId } from '#shared/base/ids.ts';
import { type VerifierKey, verifierKey } from '#shared/tlog/keys.ts';
import type { TestApi } from '#test/support/api.ts';
import { logEverything, type TestExporter } from '#test/support/log/exports.ts';
import { readBag } from '#test/support/log/read-tar.ts';
import type { Files } from './bag.ts';
import type { ForgedOrganization } from './organization.ts';

/** An honest export, and the keys that an auditor has. */
export interface ExportSample {
  id: Id;
  folder: string;
  files: Files;
  key: VerifierKey;
  /** PEM. */
  statementKey: string;
}

/**
 * Exports an organization after everything was logged, also the start of the export itself.
 *
 * @param options `meanwhile` runs between the checkpoint and the reading of the records; `times` are readings of the exporter's clock
 */
export async function exportOf(
  { services }: TestApi,
  exporter: TestExporter,
  acme: Pick<ForgedOrganization, 'org' | 'id' | 'call' | 'get'>,
  { meanwhile = async () => {}, times }: { meanwhile?: () => Promise<void>; times?: readonly number[] } = {},
): Promise<ExportSample> {
  await logEverything(services, acme.id);
  const { id } = (await acme.call('POST', `/exports/${acme.org}`)).json as { id: string };
  await logEverything(services, acme.id);
  await meanwhile();
  await exporter.run({ org: acme.id, id }, times);
  const made = (await acme.get(`/exports/${acme.org}/${id}`)).json as { download_url: string; log: { origin: string } };
  const tar = new Uint8Array(await (await fetch(made.download_url)).arrayBuffer());
  const { folder, files, faults } = await readBag(tar);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const { log, statement } = services.keys;
  const spki = { key: Buffer.from((await statement()).publicKey), format: 'der', type: 'spki' } as const;
  return {
    id: storedId(id),
    folder,
    files,
    key: verifierKey(made.log.origin, 'ed25519', (await log()).publicKey),
    statementKey: createPublicKey(spki).export({ format: 'pem', type: 'spki' }).toString(),
  };
}
