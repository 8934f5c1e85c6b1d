import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { RelayLog } from '#shared/http/relay-log.ts';
import type { Services } from '#shared/http/services.ts';
import { TILE_WIDTH } from '#shared/tlog/tiles.ts';
import { copiesAbove } from './checkpoint-copies.ts';
import { cosignedSize } from './cosigned-size.ts';
import { type LogState, readHead } from './records/log-state.ts';
import type { AppendServices } from './services.ts';
import { tileName } from './tiles.ts';

/** The table holds less of a log than was published. A checkpoint of it could contradict the published ones. */
export class LogBehind extends Error {
  constructor(org: OrganizationId, size: number, outside: number) {
    super(`The table has ${size} entries of the log of organization ${org}, but at least ${outside} were appended`);
    this.name = 'LogBehind';
  }
}

/** The organizations whose logs a container has compared with the bucket and the witnesses. */
export class GuardedLogs {
  readonly #until = new Map<OrganizationId, Micros>();

  has(org: OrganizationId, now: Micros): boolean {
    return (this.#until.get(org) ?? 0) > now;
  }

  /** @param until when the log has to be compared again; without a time never */
  add(org: OrganizationId, until: Micros = Number.POSITIVE_INFINITY): void {
    if (this.#until.size >= MEMORY_LIMIT) this.#until.clear();
    this.#until.set(org, until);
  }
}

const MEMORY_LIMIT = 10_000;
/** When a log is compared again if a witness did not answer. */
const COMPARED_AGAIN: Micros = 60_000_000;

/**
 * Requires that the table holds everything that was published of a log (rules/log.md#guard). Must be called with what was
 * read last, before anything is appended or signed. Compares with the bucket and the witnesses once in the life of a
 * container: a table never goes back, but functions can get another table.
 *
 * @throws LogBehind
 */
export async function requireComplete(
  services: AppendServices,
  org: OrganizationId,
  { head, checkpoint }: LogState,
  log: RelayLog,
): Promise<void> {
  const { table, objects, clock, guarded, origin } = services;
  const [size, published] = [head?.range.size ?? 0, checkpoint?.range.size ?? 0];
  if (published > size) throw new LogBehind(org, size, published);
  if (guarded.has(org, clock.now())) return;
  const [inBucket, cosigned] = await Promise.all([
    sizeOutside(objects, org, size),
    cosignedSize(services, { origin: head?.origin ?? origin(org), size, log }),
  ]);
  const outside = Math.max(inBucket, cosigned.size);
  // Another integrator may have appended and copied entries since the head was read.
  const now = outside > size ? ((await readHead(table, org))?.range.size ?? 0) : size;
  if (outside > now) throw new LogBehind(org, now, outside);
  guarded.add(org, cosigned.isComplete ? undefined : clock.now() + COMPARED_AGAIN);
}

/** Returns a size that the log had according to the bucket, if it is above the given one; 0 otherwise. */
async function sizeOutside(objects: Services['objects'], org: OrganizationId, size: number): Promise<number> {
  const index = Math.floor(size / TILE_WIDTH);
  const [[copied = 0], bundle] = await Promise.all([
    copiesAbove(objects, org, size, 1),
    objects.getLogObject(org, tileName({ level: 'entries', index, width: TILE_WIDTH })),
  ]);
  return Math.max(copied, bundle ? (index + 1) * TILE_WIDTH : 0);
}
