import { createPublicKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OrganizationId } from '#shared/base/ids.ts';
import { verifierKey } from '#shared/tlog/keys.ts';
import { policyOf } from '#shared/tlog/policy.ts';
import type { TestApi } from '#test/support/api.ts';
import type { TestAnswer } from '#test/support/gateway.ts';
import { exporterOf } from '#test/support/log/exports.ts';
import { verifyArchive } from '#verify/archive.ts';

interface Exported {
  org: string;
  id: OrganizationId;
  call(method: string, path: string): Promise<TestAnswer>;
}

/** Exports an organization, and verifies the archive with the keys of the service. @returns what was counted */
export async function verifiedExport({ services }: TestApi, { org, id: own, call }: Exported) {
  const { id } = (await call('POST', `/exports/${org}`)).json as { id: string };
  await exporterOf(services).run({ org: own, id });
  const made = (await call('GET', `/exports/${org}/${id}`)).json as { download_url: string; log: { origin: string } };
  const [log, statement] = await Promise.all([services.keys.log(), services.keys.statement()]);
  const spki = { key: Buffer.from(statement.publicKey), format: 'der', type: 'spki' } as const;
  const statementKey = createPublicKey(spki).export({ format: 'pem', type: 'spki' }).toString();
  const policy = policyOf(verifierKey(made.log.origin, 'ed25519', log.publicKey));
  const folder = mkdtempSync(join(tmpdir(), 'statements-'));
  try {
    const file = join(folder, 'export.tar');
    writeFileSync(file, new Uint8Array(await (await fetch(made.download_url)).arrayBuffer()));
    return (await verifyArchive(file, { policy, statementKey })).counts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
