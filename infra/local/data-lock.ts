import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '#shared/base/error-facts.ts';
import { StartError } from './start-error.ts';

/**
 * Locks a data directory against a second stack. The lock is one of the operating system, which releases it even if this
 * process is killed. A file with a process id would stay.
 *
 * @returns a function that releases the lock
 * @throws StartError if another stack has the lock, or if the directory cannot be written
 */
export function lockDataDir(dataDir: string): () => void {
  try {
    mkdirSync(dataDir, { recursive: true });
    const database = new DatabaseSync(join(dataDir, 'lock.db'));
    try {
      database.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      database.close();
      throw error;
    }
    return () => database.close();
  } catch (error) {
    if (/database is locked/.test(messageOf(error))) {
      throw new StartError(`Another local stack uses ${dataDir}: stop it, or choose another --data-dir.`, error);
    }
    throw new StartError(`The data directory ${dataDir} cannot be used: ${messageOf(error)}.`, error);
  }
}
