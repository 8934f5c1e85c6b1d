import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';
import type { OrganizationId } from '#shared/base/ids.ts';
import type { ExportFiles } from '#shared/bodies/export-files.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import type { SigningKeys } from '#shared/signing/keys.ts';
import type { Table } from '#shared/table/table.ts';

/** Gets each sentence about what the restore does. */
export type Say = (sentence: string) => void;

/** What a restore calls: the services of a stage as they are now. */
export interface Connection {
  /** Name of the table that the functions use. */
  live: string;
  /** Makes, describes and changes tables. */
  database: Pick<DynamoDBClient, 'send'>;
  table(name: string): Table;
  bucket: { s3: Pick<S3Client, 'send'>; name: string };
  objects: Objects;
  files: ExportFiles;
  keys: Pick<SigningKeys, 'log'>;
  origin: (org: OrganizationId) => string;
  /** Returns the messages that are not worked off, by the name of the queue. */
  waiting(): Promise<Map<string, number>>;
}

/** The table that takes the place of the live one. */
export interface RestoredTable {
  name: string;
  streamArn: string;
}

/** Where a restore runs: a stage in AWS, or the local stack. */
export interface RestoreStage {
  /** Connects to the services. The addresses of a local stack change with each start. */
  connect(): Promise<Connection>;
  /** After this time, every function keeps to maintenance and has ended the requests of before, in milliseconds. */
  closedMillis: number;
  /** For so long all queues must be empty, so that the stream is worked off too, in milliseconds. */
  quietMillis: number;
  /** Makes the service use the restored table. Called again after an interruption. */
  handOver(table: RestoredTable, say: Say): Promise<void>;
  /** Makes the definition of the stage own the restored table, after the service uses it. Called again after an interruption. */
  own(table: RestoredTable, say: Say, notes: Notes): Promise<void>;
}

/** What a stage remembers over interruptions. */
interface Notes {
  isNoted(what: string): Promise<boolean>;
  note(what: string): Promise<void>;
}
