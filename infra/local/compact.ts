import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { HISTORY_FOLDER, removeBackups } from './backups/backups.ts';
import { lockDataDir } from './data-lock.ts';
import { readCheckpoints } from './events/checkpoints.ts';
import { StartError } from './start-error.ts';
import { waitForRelease } from './storage/dynamodb.ts';

/** What {@link compactDataDir} removed and what it left. */
export interface Compacted {
  /** Records of the database's stream that were delivered. */
  streamRecords: number;
  /** Records of the stream that the relay has not had yet. The next start delivers them. */
  undelivered: number;
  /** Objects below `uploads/`. */
  uploads: number;
  /** Whether the history of the table was removed. */
  history: boolean;
  /** Whether mails were removed. */
  mails: boolean;
}

/**
 * Removes from the data directory of a stopped stack what an erasure leaves there (local-stack.md#leave-nothing): delivered
 * records of the stream, the history of the table, uploads, mails, and removed bytes in free pages and journals of the database files.
 *
 * @throws StartError if a stack uses the directory, or if there is none
 */
export async function compactDataDir(dataDir: string): Promise<Compacted> {
  const database = join(dataDir, 'dynamodb', 'shared-local-instance.db');
  if (!existsSync(database)) throw new StartError(`${dataDir} is not the data directory of a local stack.`);
  const unlock = lockDataDir(dataDir);
  try {
    await waitForRelease(join(dataDir, 'dynamodb'));
    const mail = join(dataDir, 'mail');
    const mails = existsSync(mail);
    rmSync(mail, { recursive: true, force: true });
    const stream = compactStream(database, join(dataDir, 'stream.json'));
    const history = removeBackups(join(dataDir, HISTORY_FOLDER));
    return { ...stream, history, uploads: compactObjects(join(dataDir, 'objects', 'fauxqs.db')), mails };
  } finally {
    unlock();
  }
}

/**
 * The numbers of new records can begin again when the table of records is empty. So the checkpoints of the reader go first: the next start
 * reads from the oldest record that is left, which the relay has not had.
 */
function compactStream(file: string, checkpoints: string): Pick<Compacted, 'streamRecords' | 'undelivered'> {
  const delivered = readCheckpoints(checkpoints);
  rmSync(checkpoints, { force: true });
  return compacted(file, (database) => {
    let streamRecords = 0;
    for (const [shard, sequence] of delivered) {
      const removed = database.prepare('DELETE FROM us WHERE ShardID = ? AND SequenceNumber <= ?').run(shard, sequence);
      streamRecords += Number(removed.changes);
    }
    const left = database.prepare('SELECT count(*) AS count FROM us').get();
    return { streamRecords, undelivered: Number(left?.['count']) };
  });
}

/** @returns how many uploads were removed */
const compactObjects = (file: string): number =>
  compacted(file, (database) =>
    Number(database.prepare(`DELETE FROM s3_objects WHERE key LIKE 'uploads/%'`).run().changes),
  );

/** Changes a database file and writes it again without free pages. No journal stays behind. */
function compacted<T>(file: string, change: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file);
  try {
    const result = change(database);
    database.exec('VACUUM');
    // A file with a write-ahead log has the pages of before in it.
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return result;
  } finally {
    database.close();
  }
}
