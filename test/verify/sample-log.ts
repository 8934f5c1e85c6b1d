import { hash } from 'node:crypto';
import type { OrganizationId } from '#shared/base/ids.ts';
import {
  type ChainDomain,
  canonicalJson,
  entryHash,
  FIRST_PREVIOUS,
  linkEntry,
} from '#shared/base/proofs/hash-chain.ts';
import { formatCheckpoint } from '#shared/tlog/checkpoint.ts';
import { localKey, privateKeyOf } from '#shared/tlog/ed25519.ts';
import { parseVerifierKey } from '#shared/tlog/keys.ts';
import { formatNote } from '#shared/tlog/notes.ts';
import { logSigner, signNote, witnessSigner } from '#shared/tlog/signer.ts';
import { encodeBundle, encodeTile, newTiles, TILE_WIDTH, tilePath } from '#shared/tlog/tiles.ts';
import { appendLeaves, EMPTY_RANGE, leafHash, rootOf, rootOfLeaves } from '#shared/tlog/tree.ts';
import { testId } from '#test/support/ids.ts';

/** The log of a small export, made without a service. */

export const org = testId<OrganizationId>('acme');

export const ORIGIN = `${org}.test.log.localhost`;
export const log = logSigner(ORIGIN, localKey(privateKeyOf(new Uint8Array(32))));
export const logKey = parseVerifierKey(log.verifierKey);
export const otherLog = logSigner(ORIGIN, localKey(privateKeyOf(new Uint8Array(32).fill(1))));
export const witness = witnessSigner('us.witness.example', localKey(privateKeyOf(new Uint8Array(32).fill(8))), () => 0);

export type Files = Map<string, Buffer>;

export const salt = (name: string): string => hash('sha256', name);

/** The log while it grows. */
export class Growing {
  readonly entries: Buffer[] = [];
  readonly #last = new Map<string, Uint8Array>();

  /** Appends a link. @returns what its record states of it */
  link(
    domain: ChainDomain,
    header: Parameters<typeof linkEntry>[2],
  ): { previous: string; hash: string; log_index: number } {
    const chain = header.number === 0 ? `${this.entries.length}` : canonicalJson(header.subject);
    const previous = this.#last.get(chain) ?? FIRST_PREVIOUS;
    const entry = linkEntry(domain, previous, header);
    this.entries.push(entry);
    this.#last.set(chain, entryHash(entry));
    return {
      previous: Buffer.from(previous).toString('hex'),
      hash: entryHash(entry).toString('hex'),
      log_index: this.entries.length - 1,
    };
  }
}

/** Returns the roots of the full tiles of a level. */
const rootsOf = (hashes: readonly Buffer[]): Buffer[] =>
  Array.from({ length: Math.floor(hashes.length / TILE_WIDTH) }, (_, i) =>
    rootOfLeaves(hashes.slice(i * TILE_WIDTH, (i + 1) * TILE_WIDTH)),
  );

/** Makes the files of a log of these entries, signed by the key of the log. */
export async function logFiles(entries: readonly Buffer[], signer = log): Promise<Files> {
  const size = entries.length;
  const leaves = entries.map(leafHash);
  const range = appendLeaves(EMPTY_RANGE, leaves);
  const note = await signNote(formatCheckpoint({ origin: ORIGIN, size, root: rootOf(range) }), [signer]);
  const files: Files = new Map([['checkpoint', Buffer.from(formatNote(note))]]);
  const levels = [leaves];
  while ((levels.at(-1)?.length ?? 0) >= TILE_WIDTH) levels.push(rootsOf(levels.at(-1) ?? []));
  for (const tile of newTiles(0, size)) {
    const { level, index, width } = tile;
    const first = index * TILE_WIDTH;
    const bytes =
      level === 'entries'
        ? encodeBundle(entries.slice(first, first + width))
        : encodeTile(levels[level]?.slice(first, first + width) ?? []);
    files.set(`tile/${tilePath(tile)}`, bytes);
  }
  return files;
}
