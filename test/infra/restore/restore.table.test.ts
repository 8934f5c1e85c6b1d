import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  RestoreTableToPointInTimeCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { runOperator } from '#functions/operator/run-operator.ts';
import { startBackupEndpoint } from '#infra/local/backups/backup-endpoint.ts';
import { Backups } from '#infra/local/backups/backups.ts';
import { localDatabase } from '#infra/local/clients.ts';
import { startStream } from '#infra/local/events/stream.ts';
import { localClient } from '#infra/local/settings.ts';
import type { ReapplyEnds } from '#infra/restore/ends.ts';
import { instantText } from '#infra/restore/instant.ts';
import { type RestoreReport, restore } from '#infra/restore/restore.ts';
import { RestoreError } from '#infra/restore/restore-error.ts';
import type { Connection, RestoreStage } from '#infra/restore/stage.ts';
import { restoredName } from '#infra/restore/tables.ts';
import { fromSeconds, type Micros, systemClock } from '#shared/base/time.ts';
import { storedKey } from '#shared/table/keys.ts';
import { Table } from '#shared/table/table.ts';
import { TableState } from '#shared/table/table-state.ts';
import { uniqueName } from '#test/support/directory.ts';
import { operatorServices } from '#test/support/log/log.ts';
import { LOG_KEY, logOrigin } from '#test/support/log/log-entries.ts';
import { databaseAddress, streamedTable } from '#test/support/table.ts';
import { testExportFiles, testObjects } from '#test/support/trails.ts';

const clock = systemClock();
const note = (sk: string) => storedKey('NOTE#1', sk);

let table: Table;
let client: DynamoDBClient;
let backups: Backups;
/** Between the writes of before and the writes of after. */
let instant: Micros;
const [early, late] = [uniqueName('early'), uniqueName('late')];

const command = (fields: object) => runOperator(operatorServices(table), fields);

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'restore-'));
  const endpoint = databaseAddress();
  table = await streamedTable();
  backups = new Backups(endpoint, folder);
  const front = await startBackupEndpoint(endpoint, backups);
  client = new DynamoDBClient(localClient(front.endpoint));
  const reader = await startStream({
    endpoint,
    tableName: table.name,
    pollMillis: 20,
    onRecords: async () => ({ batchItemFailures: [] }),
    journal: await backups.enable(table.name),
  });
  await command({ command: 'create-organization', name: early });
  await table.put({ ...note('kept'), v: 1, n: 1 });
  // The history has the time of its own reading. A test also restores to a second before the instant.
  await journaled(folder, early, 'kept');
  await sleep(2_100);
  instant = fromSeconds(Math.floor(Date.now() / 1_000));
  await sleep(1_500);
  await command({ command: 'create-organization', name: late });
  await table.put({ ...note('kept'), v: 1, n: 2 });
  await table.put({ ...note('last'), v: 1 });
  await journaled(folder, late, 'last');
  return async () => {
    await reader.stop();
    await front.stop();
    client.destroy();
    rmSync(folder, { recursive: true });
  };
});

/** Waits until the history of the table names all of the texts. */
const journaled = (folder: string, ...texts: readonly string[]) =>
  vi.waitFor(
    () => {
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
        file.endsWith('.jsonl'),
      );
      const history = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('');
      expect(texts.filter((text) => !history.includes(text))).toEqual([]);
    },
    { timeout: 30_000 },
  );

interface Service {
  stage: RestoreStage;
  /** The table that the functions of the stage use. */
  live: string;
  handedOver: string[];
  owned: string[];
}

/** A stage that is nothing but a table. */
function serviceOn(live: string): Service {
  const database = localDatabase(databaseAddress());
  const connection = (): Connection => ({
    live: service.live,
    database: client,
    table: (name) => new Table(database, name),
    bucket: { s3: { send: async () => ({}) } as never, name: 'evidence' },
    objects: testObjects(),
    files: testExportFiles(),
    keys: { log: async () => LOG_KEY },
    origin: logOrigin,
    waiting: async () => new Map([['log-entries', 0]]),
  });
  const service: Service = {
    live,
    handedOver: [],
    owned: [],
    stage: {
      connect: async () => connection(),
      closedMillis: 0,
      quietMillis: 0,
      handOver: async ({ name }) => {
        service.handedOver.push(name);
        service.live = name;
      },
      own: async ({ name, streamArn }) => {
        service.owned.push(`${name} ${streamArn.includes(name)}`);
      },
    },
  };
  return service;
}

const revoked = {
  organization: 'acme',
  kind: 'api_key.revoked',
  name: 'ci',
  id: 'k1',
  at: fromSeconds(1_800_000_000),
  by: 'ann',
};
const reapplyEnds: ReapplyEnds = async ({ note: noted }) => {
  await noted?.(revoked);
  return { applied: [revoked], open: [], unknown: ['Nothing says which tokens were issued'] };
};

const run = ({ stage }: Service, to: Micros, say: (sentence: string) => void = () => undefined) =>
  restore({ stage, to, reapplyEnds, clock, say });

/** Runs a restore that is killed at each sentence that it says, one after the other, until one run ends. */
async function runKilled(service: Service, to: Micros): Promise<{ report: RestoreReport; kills: number }> {
  for (let kills = 0; ; kills += 1) {
    let said = 0;
    try {
      const report = await run(service, to, () => {
        said += 1;
        if (said > kills) throw new Error('killed');
      });
      return { report, kills };
    } catch (error) {
      if (!(error instanceof Error && error.message === 'killed')) throw error;
    }
  }
}

const expected: RestoreReport = {
  objects: [],
  lost: [`the organization '${late}', with everything in it`],
  ends: [
    `acme: api_key.revoked 'ci' by ann at ${instantText(fromSeconds(1_800_000_000))}`,
    'not known: Nothing says which tokens were issued',
  ],
};

describe('a restore', () => {
  it('says each step and makes a table with the settings of the live one, which the service then uses', async () => {
    const service = serviceOn(table.name);
    const said: string[] = [];
    expect(await run(service, instant, (sentence) => said.push(sentence))).toEqual(expected);
    const name = restoredName(table.name, instant);
    expect([service.live, service.handedOver, service.owned]).toEqual([name, [name], [`${name} true`]]);
    const restored = (await service.stage.connect()).table(name);
    expect(await restored.get(note('kept'))).toMatchObject({ n: 1 });
    expect([
      await new TableState({ table: restored, clock }).isClosed(),
      await new TableState({ table, clock }).isClosed(),
    ]).toEqual([false, true]);
    const { Table: described } = await client.send(new DescribeTableCommand({ TableName: name }));
    expect(described).toMatchObject({
      DeletionProtectionEnabled: true,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    });
    const timeToLive = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
    expect(timeToLive.TimeToLiveDescription).toMatchObject({ AttributeName: 'ttl', TimeToLiveStatus: 'ENABLED' });
    const { ContinuousBackupsDescription } = await client.send(
      new DescribeContinuousBackupsCommand({ TableName: name }),
    );
    expect(ContinuousBackupsDescription?.PointInTimeRecoveryDescription).toMatchObject({
      PointInTimeRecoveryStatus: 'ENABLED',
    });
    expect(said.filter((sentence) => !sentence.startsWith('  '))).toEqual([
      'Begin maintenance: the service answers reads and takes no changes',
      'Wait until all functions keep to it, and until queues and the stream are worked off',
      `Restore the table ${table.name} to ${instantText(instant)} as ${name}`,
      'The table is restored, and closed for changes',
      'Bring back objects of the bucket that were deleted since then …',
      'Bring back the logs of all organizations …',
      'Apply again what was revoked, removed or erased since then …',
      `Make the service use the table ${name} …`,
      'Send missing notifications again, and end maintenance …',
      'Make the definition of the stage own the table …',
      expect.stringMatching(`^Restored to ${instantText(instant)} at `),
    ]);
    // A second call changes nothing, and says the same.
    expect(await run(service, instant)).toEqual(expected);
    expect(service.handedOver).toEqual([name]);
  });

  it('that is killed at every sentence and repeated ends as one that was not', async () => {
    const to = fromSeconds(Math.floor(instant / 1_000_000) - 1);
    const service = serviceOn(table.name);
    const { report, kills } = await runKilled(service, to);
    expect(kills).toBeGreaterThan(5);
    expect(report).toEqual(expected);
    expect(service.live).toBe(restoredName(table.name, to));
    const restored = (await service.stage.connect()).table(service.live);
    expect(await restored.get(note('kept'))).toMatchObject({ n: 1 });
    expect(await new TableState({ table: restored, clock }).isClosed()).toBe(false);
  });

  it('is refused if its instant lies in the future, before the first backup or behind the newest one', async () => {
    const service = serviceOn(table.name);
    const later = fromSeconds(Math.floor(Date.now() / 1_000) + 3_600);
    await expect(run(service, later)).rejects.toThrow(`The instant ${instantText(later)} lies in the future`);
    await expect(run(service, fromSeconds(1_700_000_000))).rejects.toThrow(
      /^The instant 2023-11-14T22:13:20Z lies before the first backup, which is of 20/,
    );
    const plain = await streamedTable();
    await expect(run(serviceOn(plain.name), instant)).rejects.toThrow(
      new RestoreError(`The table ${plain.name} has no continuous backups, so it cannot be restored`),
    );
    expect(await new TableState({ table: plain, clock }).isClosed()).toBe(false);
  });

  it('is refused while a restore to another instant is half done, and says which', async () => {
    const [first, second] = [3, 2].map((ago) => fromSeconds(Math.floor(instant / 1_000_000) + 5 - ago)) as [
      Micros,
      Micros,
    ];
    const service = serviceOn(table.name);
    const killed = run(service, first, (sentence) => {
      if (sentence.startsWith('Bring back the logs')) throw new Error('killed');
    });
    await expect(killed).rejects.toThrow('killed');
    const half = `A restore to the instant ${instantText(first)} is half done: the table ${restoredName(table.name, first)}`;
    await expect(run(service, second)).rejects.toThrow(half);
    await run(service, first);
    // A table that the database is still making has no notes.
    const target = restoredName(table.name, second);
    await client.send(
      new RestoreTableToPointInTimeCommand({
        SourceTableName: table.name,
        TargetTableName: target,
        RestoreDateTime: new Date(second / 1_000),
      }),
    );
    await expect(run(serviceOn(table.name), first)).rejects.toThrow(`the table ${target} is not finished`);
  });
});
