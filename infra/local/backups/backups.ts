import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { createTableInput } from '#shared/table/table-definition.ts';
import { History } from './history.ts';
import { putItems, RefusedCall, rawCall } from './raw-calls.ts';

/** Folder of the data directory with the journals of its tables. */
export const HISTORY_FOLDER = 'history';
/** Name of a file with a restore that has not ended. */
const MARKER = /^(.+)\.restoring$/;
const Marker = z.strictObject({ source: z.string(), at: z.number() });

/** The continuous backups of all tables of a data directory, and the restores from them. */
export class Backups {
  readonly #endpoint: string;
  readonly #folder: string;
  readonly #opened = new Map<string, Promise<History>>();
  /** Restores that are running, by the name of the new table. */
  readonly #restores = new Map<string, Promise<void>>();

  /** @param folder folder of the journals */
  constructor(endpoint: string, folder: string) {
    this.#endpoint = endpoint;
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(folder)) {
      const target = MARKER.exec(name)?.[1];
      // A killed stack left a table that is not whole.
      if (target !== undefined) this.#fill(target);
    }
  }

  /** Switches the backups of a table on. */
  enable(table: string): Promise<History> {
    const opened = this.#opened.get(table) ?? History.open(this.#endpoint, this.#folder, table);
    this.#opened.set(table, opened);
    return opened;
  }

  /** Returns the journal of a table, or undefined if its backups were never switched on. */
  async of(table: string): Promise<History | undefined> {
    return this.#opened.has(table) || History.exists(this.#folder, table) ? this.enable(table) : undefined;
  }

  isRestoring(table: string): boolean {
    return this.#restores.has(table);
  }

  /**
   * Begins to make a new table with the items that another table had.
   *
   * @param at milliseconds since the epoch
   * @throws RefusedCall in the words of AWS
   */
  async restore(source: string, target: string, at: number): Promise<void> {
    const history = await this.of(source);
    if (!history) {
      throw new RefusedCall(
        'PointInTimeRecoveryUnavailableException',
        `Point in time recovery is not enabled for table '${source}'`,
      );
    }
    if (at < history.begun || at > history.readUntil) {
      throw new RefusedCall('InvalidRestoreTimeException', 'The restore time lies outside of the restorable times');
    }
    if (this.isRestoring(target) || (await this.#exists(target))) {
      throw new RefusedCall('TableAlreadyExistsException', `Table already exists: ${target}`);
    }
    const file = this.#markerOf(target);
    writeFileSync(`${file}.next`, JSON.stringify({ source, at } satisfies z.input<typeof Marker>));
    renameSync(`${file}.next`, file);
    // The table is listed from now on, as in a region.
    await this.#create(target);
    this.#fill(target);
  }

  /** Waits for restores that run. */
  async stop(): Promise<void> {
    await Promise.all(this.#restores.values());
  }

  #fill(target: string): void {
    const filling = this.#makeTable(target)
      .catch((error: unknown) => console.error(`The restore into ${target} failed; the next start repeats it`, error))
      .finally(() => this.#restores.delete(target));
    this.#restores.set(target, filling);
  }

  async #makeTable(target: string): Promise<void> {
    const marker = this.#markerOf(target);
    const { source, at } = Marker.parse(JSON.parse(readFileSync(marker, 'utf8')));
    const history = await this.of(source);
    if (!history) throw new Error(`There is no history of ${source}`);
    const items = await history.itemsAt(at);
    await this.#create(target);
    await putItems(this.#endpoint, target, items);
    rmSync(marker);
  }

  /** Creates a table unless it exists. A restored table has no stream, as in a region. */
  async #create(target: string): Promise<void> {
    const { StreamSpecification: _, ...input } = createTableInput(target);
    if (!(await this.#exists(target))) await rawCall(this.#endpoint, 'CreateTable', input);
  }

  async #exists(table: string): Promise<boolean> {
    try {
      await rawCall(this.#endpoint, 'DescribeTable', { TableName: table });
      return true;
    } catch (error) {
      if (error instanceof RefusedCall && error.type === 'ResourceNotFoundException') return false;
      throw error;
    }
  }

  #markerOf(target: string): string {
    return join(this.#folder, `${target}.restoring`);
  }
}

/** Removes the journals of a data directory. They hold everything that the tables had. @returns whether there were any */
export function removeBackups(folder: string): boolean {
  const isThere = existsSync(folder);
  rmSync(folder, { recursive: true, force: true });
  return isThere;
}
