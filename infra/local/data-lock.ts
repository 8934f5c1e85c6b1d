import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from './start-error.ts';

/**
 * Keeps a second stack away from a data directory. The system gives the lock back however this process ends, which a
 * file with a process id in it would not.
 *
 * @returns gives the lock back
 * @throws StartError when another stack has it, or the directory cannot be written
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
    if (/database is locked/.test((error as Error).message)) {
      throw new StartError(`Another local stack uses ${dataDir}: stop it, or choose another --data-dir.`, error);
    }
    throw new StartError(`The data directory ${dataDir} cannot be used: ${(error as Error).message}.`, error);
  }
}
