import { type IntegratorServices, integrateMessages } from '#functions/integrator/integrate-messages.ts';
import { INTEGRATOR_USES } from '#functions/integrator/uses.ts';
import type { runOperator } from '#functions/operator/run-operator.ts';
import type { OrganizationId, TrailId } from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import { systemClock } from '#shared/base/time.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { GuardedLogs } from '#shared/log/guarded-logs.ts';
import { entryOfItem, hasEntry } from '#shared/log/item-entries.ts';
import { type LogMessage, logMessages } from '#shared/log/log-message.ts';
import { readCheckpoint } from '#shared/log/records/log-state.ts';
import { logTiles } from '#shared/log/tiles.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { readAuditPartition } from '#shared/organizations/records/keys.ts';
import { NO_KEYS } from '#shared/signing/keys.ts';
import type { Table } from '#shared/table/table.ts';
import { parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { verifierKey } from '#shared/tlog/keys.ts';
import { parseNote, verifySignatures } from '#shared/tlog/notes.ts';
import { newTiles, TILE_WIDTH } from '#shared/tlog/tiles.ts';
import { appendLeaves, EMPTY_RANGE, leafHash, rootOf, rootOfLeaves } from '#shared/tlog/tree.ts';
import { movableClock } from '../clock.ts';
import { heldTo, holdKeys } from '../declared-uses.ts';
import { queueEvent, type RecordingQueue, recordingLogEntries } from '../queue.ts';
import { scanItems } from '../table/scan-items.ts';
import { databaseAddress } from '../table.ts';
import { testExportFiles, testObjects } from '../trails.ts';
import { LOG_KEY, logOrigin } from './log-entries.ts';

export { LOG_KEY, logOrigin, trailEntries } from './log-entries.ts';

/** The integrator of a table, with a queue of its own and what it logged. */
export interface TestIntegrator {
  services: IntegratorServices;
  logged: { message: string; facts: Record<string, unknown> }[];
  sent: RecordingQueue<LogMessage>;
  /** Hands messages to the integrator in one call. @returns the number of messages that come again */
  work(messages: readonly unknown[], times?: readonly number[]): Promise<number>;
  /** Hands entries to the integrator as the relay would send them. */
  integrate(
    org: OrganizationId,
    entries: readonly Uint8Array[],
    trails?: ReadonlyMap<TrailId, TrailName>,
  ): Promise<number>;
}

export function integratorOf(
  table: Table,
  { objects = testObjects(), clock = movableClock(), ...more }: Partial<IntegratorServices> = {},
): TestIntegrator {
  const sent = recordingLogEntries();
  const logged: TestIntegrator['logged'] = [];
  const services: IntegratorServices = {
    table,
    objects,
    clock,
    logSigner: async () => LOG_KEY,
    origin: logOrigin,
    guarded: new GuardedLogs(),
    logEntries: sent.queue,
    ...more,
  };
  const log = (message: string, facts: Record<string, unknown>) => void logged.push({ message, facts });
  const work: TestIntegrator['work'] = async (messages, times = [0]) => {
    const left = [...times];
    const wallClock = () => (left.length > 1 ? left.shift() : left[0]) ?? 0;
    const { batchItemFailures } = await heldTo('integrator', INTEGRATOR_USES, () =>
      integrateMessages(queueEvent(messages), services, { log, wallClock }),
    );
    return batchItemFailures.length;
  };
  return {
    services,
    logged,
    sent,
    work,
    integrate: (org, entries, trails = new Map()) => work(logMessages(org, entries, trails).map(({ body }) => body)),
  };
}

/** Services of the operator, with the key and the origins of the logs of tests. */
export const operatorServices = (table: Table): Parameters<typeof runOperator>[0] => ({
  table,
  objects: testObjects(),
  files: testExportFiles(),
  clock: systemClock(),
  keys: holdKeys({ ...NO_KEYS, log: async () => LOG_KEY }),
  origin: logOrigin,
  principals: (one) => new Directory(one),
});

/**
 * Checks a published log as an auditor does: the signature, every entry, every tile and the root.
 *
 * @returns the entries; without a checkpoint none
 * @throws Error if anything does not fit
 */
export async function checkedEntries(
  services: { table: Table; objects: Objects },
  org: OrganizationId,
): Promise<Buffer[]> {
  const checkpoint = await readCheckpoint(services.table, org);
  if (!checkpoint) return [];
  const note = parseNote(checkpoint.note);
  const verified = verifySignatures(note, [verifierKey(logOrigin(org), 'ed25519', LOG_KEY.publicKey)]);
  const { origin, size, root } = parseCheckpoint(note.text);
  if (verified.length !== 1 || origin !== logOrigin(org)) throw new Error('The log did not sign its checkpoint');
  const tiles = logTiles(services, org, size);
  const entries: Buffer[] = [];
  // The hashes of each level of tiles, computed from the entries.
  const levels: Buffer[][] = [];
  for (const { level, index, width } of newTiles(0, size)) {
    if (level === 'entries') {
      entries.push(...(await tiles.entries(index, width)));
      continue;
    }
    const hashes = levels[level] ?? hashesOf(level, entries, levels);
    levels[level] = hashes;
    const expected = hashes.slice(index * TILE_WIDTH, index * TILE_WIDTH + width);
    const found = await tiles.hashes({ level, index, width });
    if (!Buffer.concat(found).equals(Buffer.concat(expected))) throw new Error(`Tile ${level}/${index} is wrong`);
  }
  if (entries.length !== size) throw new Error(`The log of size ${size} has ${entries.length} entries`);
  if (!rootOf(appendLeaves(EMPTY_RANGE, entries.map(leafHash))).equals(root)) throw new Error('The root is wrong');
  return entries;
}

function hashesOf(level: number, entries: readonly Buffer[], levels: readonly Buffer[][]): Buffer[] {
  if (level === 0) return entries.map(leafHash);
  const below = levels[level - 1] ?? [];
  return Array.from({ length: Math.floor(below.length / TILE_WIDTH) }, (_, i) =>
    rootOfLeaves(below.slice(i * TILE_WIDTH, (i + 1) * TILE_WIDTH)),
  );
}

/** Hands the entries of all moments and snapshots that an organization has stored to the integrator. */
export async function integrateStored({ services, integrate }: TestIntegrator, org: OrganizationId): Promise<void> {
  const items = await scanItems(databaseAddress(), services.table.name, org);
  const found = items
    .filter((item) => hasEntry(item) && readAuditPartition(item.pk) === null)
    .flatMap((item) => entryOfItem(item) ?? []);
  const trails = new Map(found.flatMap(({ trail }) => (trail ? [[trail.id, trail.name]] : [])));
  const left = await integrate(
    org,
    found.map(({ bytes }) => bytes),
    trails,
  );
  if (left > 0) throw new Error(`${left} messages of the integrator come again`);
}
