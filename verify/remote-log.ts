import { rename, writeFile } from 'node:fs/promises';
import { type OpenedCheckpoint, openCheckpoint, type Policy } from '#shared/tlog/policy.ts';
import { consistencyProof, verifyConsistency } from '#shared/tlog/proofs.ts';
import { decodeTile, tilePath } from '#shared/tlog/tiles.ts';
import { countsOf } from './export.ts';
import { Fault, inPlace } from './fault.ts';
import { type LogFiles, verifyLog } from './log.ts';
import type { Verified } from './scope.ts';
import { readGiven } from './trust.ts';

export interface RemoteOptions {
  /** Where the log is served: `https://host/api/v2/log/acme`. */
  url: string;
  policy: Policy;
  /** File of a checkpoint that an earlier call kept. */
  since?: string | undefined;
  keep?: string | undefined;
  /** Verifies every entry, and not only that the log was appended to. */
  all?: boolean | undefined;
  token?: string | undefined;
}

/** A bundle has at most 256 entries of 65,535 bytes. */
const MOST_BYTES = 256 * 65_537;
const LONGEST_MILLIS = 30_000;

/** Verifies a log that is served (rules/verification.md#served-log). */
export async function verifyRemote(options: RemoteOptions): Promise<Verified> {
  const { policy, since, keep, all } = options;
  const files = remoteFiles(options);
  const old = since === undefined ? null : openKept(since, await readGiven(since), policy);
  const note = await files.read('checkpoint');
  const checkpoint = inPlace(files.place('checkpoint'), () => openCheckpoint(note, policy));
  if (old) await requireExtension(files, old, checkpoint);
  const chains = all ? await verifyLog(files, checkpoint) : null;
  if (keep !== undefined) await replaceFile(keep, note);
  const counts = {
    log: checkpoint.origin,
    entries: checkpoint.size,
    root: checkpoint.root.toString('hex'),
    witnesses: checkpoint.signatures.filter(({ seconds }) => seconds !== undefined).length,
    ...(old && { 'appended since': checkpoint.size - old.size }),
    ...(chains && { 'entries verified': checkpoint.size, ...countsOf(chains) }),
  };
  return { counts, scope: [], exceptions: [] };
}

const openKept = (file: string, note: Buffer, policy: Policy): OpenedCheckpoint =>
  inPlace(file, () => openCheckpoint(note, policy));

async function requireExtension(files: LogFiles, old: OpenedCheckpoint, now: OpenedCheckpoint): Promise<void> {
  const place = files.place('checkpoint');
  if (old.origin !== now.origin)
    throw new Fault(place, `the log is '${now.origin}', the kept checkpoint is of '${old.origin}'`);
  if (old.size > now.size) {
    throw new Fault(place, `the log has ${now.size} entries. It had ${old.size} entries at the kept checkpoint`);
  }
  const proof = await consistencyProof(old.size, {
    size: now.size,
    readTile: async (tile) => {
      const path = `tile/${tilePath(tile)}`;
      const bytes = await files.read(path);
      return inPlace(files.place(path), () => decodeTile(bytes, tile.width));
    },
  });
  if (verifyConsistency(old, now, proof)) return;
  throw new Fault(
    place,
    `the log of ${now.size} entries does not begin with the ${old.size} entries of the kept checkpoint: an entry was changed, or the log was forked`,
  );
}

function remoteFiles({ url, token }: RemoteOptions): LogFiles {
  const root = url.replace(/\/+$/, '');
  const place = (path: string): string => `${root}/${path}`;
  return {
    place,
    read: async (path) => {
      try {
        const answer = await fetch(place(path), {
          headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
          redirect: 'error',
          signal: AbortSignal.timeout(LONGEST_MILLIS),
        });
        if (answer.status !== 200) throw new Fault(place(path), `the server answers ${answer.status}`);
        return await bodyOf(place(path), answer);
      } catch (error) {
        if (error instanceof Fault) throw error;
        const cause = error instanceof Error ? error.cause : undefined;
        throw new Fault(
          place(path),
          `the server cannot be read: ${cause instanceof Error ? cause.message : error}`,
          error,
        );
      }
    },
  };
}

async function bodyOf(place: string, { body }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > MOST_BYTES) throw new Fault(place, `the answer has more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Replaces a file at once, so that an interrupted call leaves the old one. */
async function replaceFile(file: string, bytes: Buffer): Promise<void> {
  await writeFile(`${file}.new`, bytes);
  await rename(`${file}.new`, file);
}
