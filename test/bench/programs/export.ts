import { createPublicKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readVerifier } from '#functions/read-verifier.ts';
import { localExportFiles } from '#infra/local/clients.ts';
import { loadKeys } from '#infra/local/keys/key-files.ts';
import { LOCAL } from '#infra/local/settings.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { continueExport } from '#shared/exports/continue-export.ts';
import { readExport } from '#shared/exports/records/exports.ts';
import { archiveName, isPinned } from '#shared/exports/rules/life-of-an-export.ts';
import type { ExporterServices } from '#shared/exports/services.ts';
import { startExportAsOperator } from '#shared/exports/start-export.ts';
import { GuardedLogs } from '#shared/log/guarded-logs.ts';
import { integrate, publishLog, readLogs } from '#shared/log/integrate.ts';
import { entryOfItem, hasEntry } from '#shared/log/item-entries.ts';
import { readWaiting } from '#shared/log/waiting-entries.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { applySeed } from '#shared/organizations/seed.ts';
import { Queue } from '#shared/queues/queue.ts';
import { localKey } from '#shared/tlog/ed25519.ts';
import { verifierKey } from '#shared/tlog/keys.ts';
import { policyOf } from '#shared/tlog/policy.ts';
import { scanTable } from '#test/support/table/scan-items.ts';
import { verifyArchive } from '#verify/archive.ts';
import { startBenchStack } from '../bench-stack.ts';

/**
 * `npm run bench:export -- [ENTRIES]`: measures how much processor time this process takes to export the log of an organization,
 * and to verify the archive. Database and bucket are other processes and are not counted, as they are not in a region.
 */

const PER_TRAIL = 100;
const WRITERS = 8;
const ORG = 'bench';
const KEY = 'key-of-the-bench';
const total = Number(process.argv[2] ?? 5_000);
const dir = mkdtempSync(join(tmpdir(), 'bench-export-'));
const stack = await startBenchStack();
try {
  const { services, endpoints, url } = stack;
  const members = [{ user: 'bench', role: 'admin', api_key: KEY }];
  await applySeed(services, { organizations: [{ name: ORG, features: [], members }] });
  await inParallel([...Array(total).keys()], WRITERS, (n) => attest(url, n));
  const org = await new Directory(services.table).organization(ORG);
  if (!org) throw new Error('The organization was not made');

  const keys = loadKeys(undefined);
  const log = localKey(keys.log);
  const spki = createPublicKey(keys.statement).export({ format: 'der', type: 'spki' });
  const exporter = {
    ...services,
    files: localExportFiles(endpoints.s3),
    keys: {
      log: async () => log,
      // The archive needs the public half only.
      statement: async () => ({ publicKey: spki, sign: () => Promise.reject(new Error('An export signs nothing')) }),
    },
    witness: {},
    verifier: readVerifier,
    exports: new Queue({ send: () => Promise.reject(new Error('The export is made in one call')) }, ''),
  } satisfies ExporterServices;
  await logAll(org.id);
  const start = await startExportAsOperator(services, org, services.clock.now());
  await logAll(org.id);
  const { id } = start.record;
  const entries = await measured('exported', async () => {
    const outcome = await continueExport(exporter, { org: org.id, id, kind: 'export' }, () => true);
    if (outcome !== 'done') throw new Error(`The export is ${outcome}`);
    const record = await readExport(services.table, org.id, id);
    return record?.log?.size ?? 0;
  });
  const record = await readExport(services.table, org.id, id);
  if (!record || !isPinned(record)) throw new Error('The export has no checkpoint');
  const address = await services.objects.presignExport(org.id, id, `${archiveName(record)}.tar`);
  const file = join(dir, 'export.tar');
  writeFileSync(file, Buffer.from(await (await fetch(address)).arrayBuffer()));
  const policy = policyOf(verifierKey(record.log.origin, 'ed25519', log.publicKey));
  await measured('verified', async () => {
    await verifyArchive(file, { policy });
    return entries;
  });

  async function logAll(id: OrganizationId): Promise<void> {
    const items = (await scanTable(endpoints.dynamodb, LOCAL.tableName)).filter(
      (item) => item.pk.startsWith(id) && hasEntry(item),
    );
    const found = items.flatMap((item) => entryOfItem(item) ?? []);
    const trails = new Map(found.flatMap(({ trail }) => (trail ? [[trail.id, trail.name] as const] : [])));
    const appending = { ...services, logSigner: async () => log, guarded: new GuardedLogs() };
    const options = { log: (message: string) => console.error(message) };
    const waiting = found.map(({ bytes }) => readWaiting(id, bytes));
    const incoming = { org: id, entries: waiting, trails };
    const read = (await readLogs(services.table, [incoming]))(id);
    const integrated = await integrate(appending, incoming, read, options);
    await publishLog(appending, id, integrated, options);
  }
} finally {
  await stack.stop();
  rmSync(dir, { recursive: true, force: true });
}

async function attest(url: string, n: number): Promise<void> {
  const answer = await fetch(
    `${url}/api/v2/attestations/${ORG}/web/trail/trail-${n % Math.ceil(total / PER_TRAIL)}/generic`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        attestation_name: `check-${n}`,
        is_compliant: true,
        user_data: { n, text: 'x'.repeat(200) },
      }),
    },
  );
  await answer.arrayBuffer();
  if (answer.status !== 201) throw new Error(`An attestation was answered with ${answer.status}`);
}

/** Prints how much time a part took. @param part returns how many entries it worked on */
async function measured(name: string, part: () => Promise<number>): Promise<number> {
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  const entries = await part();
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (user + system) / 1e6;
  const wall = (performance.now() - start) / 1000;
  console.log(
    `${entries} entries ${name}: ${seconds.toFixed(2)} s of processor time, ${Math.round(entries / seconds)} per second and core (${wall.toFixed(2)} s on the clock)`,
  );
  return entries;
}
