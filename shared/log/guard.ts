import { errorFacts } from '#shared/base/error-facts.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import type { WorkerLog } from '#shared/base/log-lines.ts';
import { type Duration, plus } from '#shared/base/time.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { send } from '#shared/outgoing/post.ts';
import { type Checkpoint, parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { verifierKey } from '#shared/tlog/keys.ts';
import { type Note, parseNote, verifySignatures } from '#shared/tlog/notes.ts';
import type { Party } from '#shared/tlog/policy.ts';
import { TILE_WIDTH } from '#shared/tlog/tiles.ts';
import { copiesAbove } from './checkpoint-copies.ts';
import { type LogState, readHead } from './records/log-state.ts';
import { originDigest } from './records/witnessed.ts';
import type { AppendServices, Witnesses } from './services.ts';
import { tileName } from './tiles.ts';

/** The table holds less of a log than was published. A checkpoint of it could contradict the published ones. */
export class LogBehind extends Error {
  constructor(org: OrganizationId, size: number, outside: number) {
    super(`The table has ${size} entries of the log of organization ${org}, but at least ${outside} were appended`);
    this.name = 'LogBehind';
  }
}

/** When a log is compared again if a witness did not answer. */
const COMPARED_AGAIN: Duration = 60_000_000;

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
  log: WorkerLog,
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
  guarded.add(org, cosigned.isComplete ? undefined : plus(clock.now(), COMPARED_AGAIN));
}

/** Returns a size that the log had according to the bucket, if it is above the given one; 0 otherwise. */
async function sizeOutside(objects: Objects, org: OrganizationId, size: number): Promise<number> {
  const index = Math.floor(size / TILE_WIDTH);
  const [[copied = 0], bundle] = await Promise.all([
    copiesAbove(objects, org, size, 1),
    objects.getLogObject(org, tileName({ level: 'entries', index, width: TILE_WIDTH })),
  ]);
  return Math.max(copied, bundle ? (index + 1) * TILE_WIDTH : 0);
}

const WITNESSES_MILLIS = 1_500;

interface CosignedSize {
  /** The largest size that the log signed and a witness shows, if it is above the size of the table; 0 otherwise. */
  size: number;
  isComplete: boolean;
}

/**
 * Asks the witnesses of the policy which checkpoint of a log they cosigned last (rules/log.md#guard). A witness that does not
 * answer is logged only, so it does not keep entries from the log.
 *
 * @throws Error if a witness shows a larger checkpoint and the key service does not answer
 */
async function cosignedSize(
  { witnesses, logSigner }: Pick<AppendServices, 'witnesses' | 'logSigner'>,
  { origin, size, log }: { origin: string; size: number; log: WorkerLog },
): Promise<CosignedSize> {
  if (!witnesses || !logSigner) return { size: 0, isComplete: true };
  const signal = AbortSignal.timeout(WITNESSES_MILLIS);
  let isComplete = true;
  const failed = (witness: string, error: unknown) => {
    isComplete = false;
    log('A witness does not show what it cosigned last', { witness, origin, ...errorFacts(error) });
  };
  const larger: Shown[] = [];
  await Promise.all(
    [...witnesses.policy.witnesses.values()].map(async (witness) => {
      try {
        const shown = await shownCheckpoint(witnesses, witness, origin, signal);
        if (shown && shown.checkpoint.size > size) larger.push(shown);
      } catch (error) {
        failed(witness.key.name, error);
      }
    }),
  );
  if (larger.length === 0) return { size: 0, isComplete };
  const { publicKey } = await logSigner();
  const key = verifierKey(origin, 'ed25519', publicKey);
  let signed = 0;
  for (const { witness, note, checkpoint } of larger) {
    try {
      // Without this check a witness could stop the log.
      if (verifySignatures(note, [key]).length === 0) throw new Error('The log did not sign the checkpoint');
      signed = Math.max(signed, checkpoint.size);
    } catch (error) {
      failed(witness, error);
    }
  }
  return { size: signed, isComplete };
}

interface Shown {
  witness: string;
  note: Note;
  checkpoint: Checkpoint;
}

/** @returns null if the witness has cosigned nothing of the log. @throws Error if it cannot be reached or answers otherwise */
async function shownCheckpoint(
  { guard }: Witnesses,
  { key, url }: Party,
  origin: string,
  signal: AbortSignal,
): Promise<Shown | null> {
  const address = `${url?.replace(/\/$/, '')}/${originDigest(origin)}/checkpoint`;
  const { status, bytes } = await send(address, { method: 'GET', headers: {}, body: '', guard }, signal);
  if (status === 404) return null;
  if (status !== 200) throw new Error(`The witness answered ${status}`);
  const note = parseNote(bytes.toString('utf8'));
  const checkpoint = parseCheckpoint(note.text);
  if (checkpoint.origin !== origin) throw new Error(`The witness answered a checkpoint of ${checkpoint.origin}`);
  return { witness: key.name, note, checkpoint };
}
