import { setTimeout as sleep } from 'node:timers/promises';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  type DescribeTableCommandOutput,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  type PointInTimeRecoveryDescription,
  paginateListTables,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { fromMillis, type Micros } from '#shared/base/time.ts';
import { TABLE } from '#shared/table/table-definition.ts';
import { instantName, instantText } from './instant.ts';
import { RestoreError } from './restore-error.ts';
import type { Connection, RestoredTable, Say } from './stage.ts';

const POLL_MILLIS = 1_000;
/** How long a step may take until a sentence says that it goes on. */
const SAY_MILLIS = 60_000;
const SUFFIX = /-restored-\d{8}T\d{6}Z$/;

/** Returns the name that all restores of a stage begin with. */
const familyOf = (table: string): string => `${table.replace(SUFFIX, '')}-restored-`;

/** Returns the name of the table that a restore makes. It follows from its arguments, so that a second start finds the table. */
export const restoredName = (live: string, to: Micros): string => familyOf(live) + instantName(to);

/** Describes a table. @returns undefined if there is none */
export async function describe(
  { database }: Pick<Connection, 'database'>,
  TableName: string,
): Promise<NonNullable<DescribeTableCommandOutput['Table']> | undefined> {
  try {
    return (await database.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/** Returns the names of the tables that restores of a stage have made. */
export async function restoredTables({ database }: Connection, live: string): Promise<string[]> {
  // The paginator takes the class, and calls only `send`.
  const pages = paginateListTables({ client: database as DynamoDBClient }, {});
  const family = familyOf(live);
  const found: string[] = [];
  for await (const { TableNames = [] } of pages) found.push(...TableNames.filter((name) => name.startsWith(family)));
  return found;
}

async function backupsOf({ database }: Connection, TableName: string): Promise<PointInTimeRecoveryDescription> {
  const { ContinuousBackupsDescription } = await database.send(new DescribeContinuousBackupsCommand({ TableName }));
  return ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {};
}

/** @throws RestoreError unless the backups of a table reach to the instant */
export async function requireBackup(connection: Connection, source: string, to: Micros, now: Micros): Promise<void> {
  const text = instantText(to);
  if (to > now) throw new RestoreError(`The instant ${text} lies in the future`);
  const {
    PointInTimeRecoveryStatus: status,
    EarliestRestorableDateTime: earliest,
    LatestRestorableDateTime: latest,
  } = await backupsOf(connection, source);
  if (status !== 'ENABLED' || !earliest || !latest) {
    throw new RestoreError(`The table ${source} has no continuous backups, so it cannot be restored`);
  }
  const [first, newest] = [fromMillis(earliest.getTime()), fromMillis(latest.getTime())];
  if (to < first) {
    throw new RestoreError(`The instant ${text} lies before the first backup, which is of ${instantText(first)}`);
  }
  if (to > newest) {
    throw new RestoreError(
      `The instant ${text} lies after the newest backup, which is of ${instantText(newest)}. Give an earlier instant, or wait`,
    );
  }
}

/** Makes the restored table unless it exists, and waits until it can be used. */
export async function makeTable(
  connection: Connection,
  { source, target, to }: { source: string; target: string; to: Micros },
  say: Say,
): Promise<void> {
  if (!(await describe(connection, target))) {
    await connection.database.send(
      new RestoreTableToPointInTimeCommand({
        SourceTableName: source,
        TargetTableName: target,
        RestoreDateTime: new Date(to / 1_000),
      }),
    );
  }
  let saidAt = Date.now();
  while ((await describe(connection, target))?.TableStatus !== 'ACTIVE') {
    if (Date.now() - saidAt > SAY_MILLIS) {
      say(`  The database still restores the table ${target}. This can take hours`);
      saidAt = Date.now();
    }
    await sleep(POLL_MILLIS);
  }
}

/** Sets what a restore by the database leaves out. Settings that are there stay. @returns the table with its stream */
export async function configureTable(connection: Connection, source: string, target: string): Promise<RestoredTable> {
  const { database } = connection;
  const [old, table] = await Promise.all([describe(connection, source), describe(connection, target)]);
  if (table?.DeletionProtectionEnabled !== true) {
    await database.send(new UpdateTableCommand({ TableName: target, DeletionProtectionEnabled: true }));
    await untilActive(connection, target);
  }
  if (table?.StreamSpecification?.StreamEnabled !== true) {
    const StreamSpecification = { StreamEnabled: true, StreamViewType: TABLE.streamView };
    await database.send(new UpdateTableCommand({ TableName: target, StreamSpecification }));
    await untilActive(connection, target);
  }
  if (old?.OnDemandThroughput && JSON.stringify(old.OnDemandThroughput) !== JSON.stringify(table?.OnDemandThroughput)) {
    const { OnDemandThroughput } = old;
    await database.send(new UpdateTableCommand({ TableName: target, OnDemandThroughput }));
    await untilActive(connection, target);
  }
  const { TimeToLiveDescription } = await database.send(new DescribeTimeToLiveCommand({ TableName: target }));
  if (!TimeToLiveDescription?.TimeToLiveStatus?.startsWith('ENABL')) {
    const TimeToLiveSpecification = { Enabled: true, AttributeName: TABLE.timeToLive };
    await database.send(new UpdateTimeToLiveCommand({ TableName: target, TimeToLiveSpecification }));
  }
  if ((await backupsOf(connection, target)).PointInTimeRecoveryStatus !== 'ENABLED') {
    const PointInTimeRecoverySpecification = {
      PointInTimeRecoveryEnabled: true,
      RecoveryPeriodInDays: TABLE.recoveryDays,
    };
    await database.send(new UpdateContinuousBackupsCommand({ TableName: target, PointInTimeRecoverySpecification }));
  }
  return streamed(connection, target);
}

/** Returns a table with its stream. @throws RestoreError if it has none */
export async function streamed(connection: Connection, name: string): Promise<RestoredTable> {
  const streamArn = (await describe(connection, name))?.LatestStreamArn;
  if (streamArn === undefined) throw new RestoreError(`The table ${name} has no stream`);
  return { name, streamArn };
}

async function untilActive(connection: Connection, name: string): Promise<void> {
  while ((await describe(connection, name))?.TableStatus !== 'ACTIVE') await sleep(POLL_MILLIS);
}
