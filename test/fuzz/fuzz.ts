import { parseArgs } from 'node:util';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { localDatabase, localKeys, localObjects } from '#infra/local/clients.ts';
import { loadKeys } from '#infra/local/keys/key-files.ts';
import { startKeyServer } from '#infra/local/keys/key-server.ts';
import { localClient } from '#infra/local/settings.ts';
import { startDynamoDb } from '#infra/local/storage/dynamodb.ts';
import { startObjectsServer } from '#infra/local/storage/objects-server.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { systemClock } from '#shared/base/time.ts';
import { childEngines } from '#shared/engines/child-engines.ts';
import { childPolicyEngine } from '#shared/evaluations/child-policy-engine.ts';
import { indexOf } from '#shared/log/records/claims.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { Table } from '#shared/table/table.ts';
import { createTableInput } from '#shared/table/table-definition.ts';
import { holdObjects, holdTable } from '#test/support/declared-uses.ts';
import { unnotedKeys } from '#test/support/table/scan-items.ts';
import { forgetKeys } from '#test/support/table/written-keys.ts';
import { type FuzzReport, fuzz, reportText } from './run.ts';
import { storedIn } from './stored.ts';

/**
 * `npm run fuzz -- --requests N --seed N`: sends requests that are generated from the OpenAPI document to all endpoints,
 * with a local database and bucket. Each 1,000 requests use a new table and a new seed. The seed is printed; a run with
 * this seed sends the same requests again.
 */

const REQUESTS = 20_000;
const ROUND = 1_000;
const USAGE = 'npm run fuzz -- [--requests N (default 20000)] [--seed N (default: a new one each time)]';

function options(): { requests: number; seed: number } {
  const { values } = parseArgs({ options: { requests: { type: 'string' }, seed: { type: 'string' } } });
  const { requests = `${REQUESTS}`, seed = `${Date.now() % 2 ** 31}` } = values;
  for (const number of [requests, seed]) {
    if (!/^\d{1,10}$/.test(number)) throw new Error(`'${number}' is not a whole number of at most 10 digits. ${USAGE}`);
  }
  return { requests: Number(requests), seed: Number(seed) };
}

async function main(): Promise<number> {
  const { requests, seed } = options();
  const database = await startDynamoDb();
  const objectsServer = await startObjectsServer();
  const [engines, policies] = [childEngines(), childPolicyEngine()];
  const objects = holdObjects(localObjects(objectsServer.s3));
  const clock = systemClock();
  const guard = addressGuard();
  const keyServer = await startKeyServer(loadKeys());
  const keys = localKeys(keyServer.endpoint);
  const logDomain = () => 'log.localhost';
  const origin = (org: OrganizationId) => `${org}.${logDomain()}`;
  const witness = { logs: '' };
  let problems = 0;
  const succeeded = new Set<string>();
  try {
    for (let done = 0; done < requests; done += ROUND) {
      const round = { seed: seed + done / ROUND, requests: Math.min(ROUND, requests - done) };
      const table = await newTable(database.endpoint, `fuzz-${round.seed}`);
      const principals = (of: Table) => new Directory(of);
      const services = {
        table,
        objects,
        engines,
        policies,
        clock,
        address: 'https://api.example',
        guard,
        principals,
        keys,
        origin,
        logDomain,
        entryIndex: indexOf,
        witness,
      };
      const report: FuzzReport = await fuzz(services, storedIn(database.endpoint, table.name), round);
      if ((await unnotedKeys(database.endpoint, table.name)).length > 0) throw new Error('Items were not seen');
      forgetKeys(table.name);
      console.log(`npm run fuzz -- --requests ${round.requests} --seed ${round.seed}\n${reportText(report)}\n`);
      problems += report.problems.length;
      for (const operation of report.succeeded) succeeded.add(operation);
    }
  } finally {
    await Promise.all([engines.close(), policies.close()]);
    await objectsServer.stop();
    await keyServer.stop();
    await database.stop();
  }
  console.log(`${requests} requests, ${succeeded.size} operations succeeded, ${problems} problems`);
  return problems > 0 ? 1 : 0;
}

/** Creates the table with the deployed definition, but without the stream, which has no reader here. */
async function newTable(endpoint: string, name: string): Promise<Table> {
  const client = new DynamoDBClient(localClient(endpoint));
  const { StreamSpecification: _, ...input } = createTableInput(name);
  try {
    await client.send(new CreateTableCommand(input));
  } finally {
    client.destroy();
  }
  return new Table(holdTable(localDatabase(endpoint)), name);
}

process.exitCode = await main();
