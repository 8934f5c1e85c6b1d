import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DynamoDBClient,
  RestoreTableToPointInTimeCommand,
  UpdateContinuousBackupsCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startBackupEndpoint } from '#infra/local/backups/backup-endpoint.ts';
import { Backups, removeBackups } from '#infra/local/backups/backups.ts';
import { startStream } from '#infra/local/events/stream.ts';
import { localClient } from '#infra/local/settings.ts';
import { storedKey } from '#shared/table/keys.ts';
import type { Table } from '#shared/table/table.ts';
import { scanTable } from '#test/support/table/scan-items.ts';
import { databaseAddress, streamedTable } from '#test/support/table.ts';

const POLL_MILLIS = 20;
const bytes = Buffer.from('bytes');
const key = (sk: string) => storedKey('BACKUP#1', sk);

/** A table whose stream is read as a stack reads it, with an endpoint for its backups. */
async function withBackups(folder = mkdtempSync(join(tmpdir(), 'history-'))) {
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [endpoint, table] = [databaseAddress(), await streamedTable()];
  const backups = new Backups(endpoint, folder);
  const { stop, ...calls } = await serve(endpoint, backups);
  onTestFinished(stop);
  const restart = () => read(endpoint, table, new Backups(endpoint, folder));
  return {
    endpoint,
    table,
    folder,
    file: join(folder, `${table.name}.jsonl`),
    ...calls,
    restart,
    reader: await read(endpoint, table, backups),
  };
}

async function read(endpoint: string, table: Table, backups: Backups) {
  const reader = await startStream({
    endpoint,
    tableName: table.name,
    pollMillis: POLL_MILLIS,
    onRecords: async () => ({ batchItemFailures: [] }),
    journal: await backups.enable(table.name),
  });
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= reader.stop();
    return stopping;
  };
  onTestFinished(stop);
  return { stop };
}

async function serve(endpoint: string, backups: Backups) {
  const front = await startBackupEndpoint(endpoint, backups);
  const client = new DynamoDBClient({ ...localClient(front.endpoint), maxAttempts: 1 });
  const stop = async () => {
    client.destroy();
    await front.stop();
  };
  const described = async (TableName: string) => {
    const { ContinuousBackupsDescription } = await client.send(new DescribeContinuousBackupsCommand({ TableName }));
    return ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
  };
  /** Restores a table, and waits until the new table can be used. */
  const restored = async (SourceTableName: string, at: Date): Promise<unknown[]> => {
    const TargetTableName = `${SourceTableName}-restored-${at.getTime()}`;
    const input = { SourceTableName, TargetTableName, RestoreDateTime: at };
    await client.send(new RestoreTableToPointInTimeCommand(input));
    await expect
      .poll(
        async () => (await client.send(new DescribeTableCommand({ TableName: TargetTableName }))).Table?.TableStatus,
      )
      .toBe('ACTIVE');
    const items = await scanTable(endpoint, TargetTableName);
    return items.map(({ pk: _, ...item }) => item).toSorted((one, other) => (one.sk < other.sk ? -1 : 1));
  };
  return { client, described, restored, stop };
}

/** Waits until a table can be restored to the present second, and until that second is over. */
async function instant(
  described: (table: string) => Promise<{ LatestRestorableDateTime?: Date } | undefined>,
  table: string,
) {
  const at = new Date(Math.ceil(Date.now() / 1_000) * 1_000);
  await expect
    .poll(async () => (await described(table))?.LatestRestorableDateTime?.getTime(), { timeout: 30_000, interval: 100 })
    .toBeGreaterThanOrEqual(at.getTime());
  return at;
}

describe('local backups', () => {
  it('a table comes back as it was at an instant, with every kind of value', async () => {
    const { table, described, restored } = await withBackups();
    await table.put({ ...key('kept'), n: 1.5, bytes, empty: {}, list: [[], {}], text: '' });
    await table.put({ ...key('changed'), n: 1 });
    await table.put({ ...key('removed') });
    await table.write({ remove: key('removed') });
    await sleep(1_000);
    const at = await instant(described, table.name);
    await table.put({ ...key('changed'), n: 2 });
    await table.write({ remove: key('kept') });
    await table.put({ ...key('later') });
    await instant(described, table.name);
    expect(await restored(table.name, at)).toEqual([
      { sk: 'changed', n: 1 },
      { sk: 'kept', n: 1.5, bytes: new Uint8Array(bytes), empty: {}, list: [[], {}], text: '' },
    ]);
    expect(await restored(table.name, new Date(Date.now() + 60_000)).catch((error) => error.name)).toBe(
      'InvalidRestoreTimeException',
    );
    await sleep(2_000);
    expect(await restored(table.name, await instant(described, table.name))).toEqual([
      { sk: 'changed', n: 2 },
      { sk: 'later' },
    ]);
  });

  it('a journal goes on after a restart, after a killed write of a line, and with records that were read before', async () => {
    const { table, described, restored, file, reader, restart } = await withBackups();
    await table.put({ ...key('a'), n: 1 });
    await expect.poll(() => readFileSync(file, 'utf8')).toContain('"a"');
    await reader.stop();
    const whole = readFileSync(file, 'utf8');
    truncateSync(file, whole.length - 10);
    await table.put({ ...key('b'), n: 1 });
    const second = await restart();
    await expect.poll(() => readFileSync(file, 'utf8')).toContain('"b"');
    await second.stop();
    await restart();
    await sleep(300);
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(3);
    // The journals of both readers are the same file; the endpoint reads it when it restores.
    expect((await described(table.name))?.PointInTimeRecoveryStatus).toBe('ENABLED');
    expect(await restored(table.name, new Date(0)).catch((error) => error.name)).toBe('InvalidRestoreTimeException');
  });

  it('backups of a table that has items begin with these items', async () => {
    const { endpoint, table, folder } = await withBackups();
    const other = await streamedTable();
    await other.put({ ...key('early'), bytes });
    const { client, described, restored, stop } = await serve(endpoint, new Backups(endpoint, folder));
    onTestFinished(stop);
    expect(await described(other.name)).toMatchObject({ PointInTimeRecoveryStatus: 'DISABLED' });
    expect(await restored(other.name, new Date()).catch((error) => error.name)).toBe(
      'PointInTimeRecoveryUnavailableException',
    );
    const enabled = { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 35 };
    const input = { TableName: other.name, PointInTimeRecoverySpecification: enabled };
    await client.send(new UpdateContinuousBackupsCommand(input));
    await read(endpoint, other, new Backups(endpoint, folder));
    expect(readFileSync(join(folder, `${other.name}.jsonl`), 'utf8')).toContain('"early"');
    expect(readFileSync(join(folder, `${table.name}.jsonl`), 'utf8')).not.toContain('"early"');
  });

  it('a restore that was killed ends with the next start', async () => {
    const { endpoint, table, folder, described, client } = await withBackups();
    await table.put({ ...key('a'), n: 1 });
    await sleep(1_000);
    const at = (await instant(described, table.name)).getTime();
    const target = `${table.name}-killed`;
    writeFileSync(join(folder, `${target}.restoring`), JSON.stringify({ source: table.name, at }));
    await new Backups(endpoint, folder).stop();
    expect(await scanTable(endpoint, target)).toMatchObject([{ sk: 'a', n: 1 }]);
    const again = { SourceTableName: table.name, TargetTableName: target, RestoreDateTime: new Date(at) };
    await expect(client.send(new RestoreTableToPointInTimeCommand(again))).rejects.toMatchObject({
      name: 'TableAlreadyExistsException',
    });
    expect([removeBackups(folder), removeBackups(folder)]).toEqual([true, false]);
  });
});
