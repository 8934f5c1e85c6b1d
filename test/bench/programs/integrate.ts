import { localDatabase, localObjects } from '#infra/local/clients.ts';
import { LOCAL } from '#infra/local/settings.ts';
import { ensureTable, startDynamoDb } from '#infra/local/storage/dynamodb.ts';
import { startObjectsServer } from '#infra/local/storage/objects-server.ts';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { systemClock } from '#shared/base/time.ts';
import { GuardedLogs } from '#shared/log/guarded-logs.ts';
import { integrate, publishLog, readLogs } from '#shared/log/integrate.ts';
import { readWaiting } from '#shared/log/waiting-entries.ts';
import { Table } from '#shared/table/table.ts';
import { LOG_KEY, logOrigin, trailEntries } from '#test/support/log/log-entries.ts';

/**
 * `npm run bench:integrate -- [ENTRIES]`: measures how fast the integrator works off a backlog. Database and bucket
 * are local, so the figures hold for one machine only.
 */

const PER_TRAIL = 100;
const total = Number(process.argv[2] ?? 20_000);
const clock = systemClock();
const org = newId<OrganizationId>(clock.now());
const trails = Array.from({ length: Math.ceil(total / PER_TRAIL) }, (_, i) =>
  trailEntries(org, `trail-${i}`, PER_TRAIL),
);
const entries = trails.flat().map((bytes) => readWaiting(org, bytes));

const database = await startDynamoDb({});
const bucket = await startObjectsServer({ s3Port: 0, sqsPort: 0 });
try {
  await ensureTable(database.endpoint, LOCAL.tableName);
  const services = {
    table: new Table(localDatabase(database.endpoint), LOCAL.tableName),
    objects: localObjects(bucket.s3),
    clock,
    logSigner: async () => LOG_KEY,
    origin: logOrigin,
    guarded: new GuardedLogs(),
  };
  const log = (message: string, facts: Record<string, unknown>) => console.error(message, facts);
  const before = process.cpuUsage();
  const started = Date.now();
  const incoming = { org, entries, trails: new Map() };
  const read = (await readLogs(services.table, [incoming]))(org);
  const integrated = await integrate(services, incoming, read, { log });
  const appended = Date.now();
  await publishLog(services, org, integrated, { log });
  const published = Date.now();
  const { user, system } = process.cpuUsage(before);
  const rate = (millis: number) => `${Math.round((entries.length / millis) * 1000)} per second`;
  console.log(`${entries.length} entries appended: ${rate(appended - started)}`);
  console.log(`Their tiles stored and published: ${rate(published - appended)}`);
  console.log(`Together: ${rate(published - started)}`);
  console.log(`If only the processor time of the integrator counted: ${rate((user + system) / 1_000)}`);
} finally {
  await bucket.stop();
  await database.stop();
}
