import { readFileSync } from 'node:fs';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { formatCheckpoint } from '#shared/tlog/checkpoint.ts';
import { localKey, privateKeyOf } from '#shared/tlog/ed25519.ts';
import { parseVerifierKey } from '#shared/tlog/keys.ts';
import { formatNote } from '#shared/tlog/notes.ts';
import type { ProvenTree } from '#shared/tlog/proofs.ts';
import { logSigner, signNote, witnessSigner } from '#shared/tlog/signer.ts';
import { TILE_WIDTH } from '#shared/tlog/tiles.ts';
import { appendLeaves, type CompactRange, EMPTY_RANGE, leafHash, rootOf, rootOfLeaves } from '#shared/tlog/tree.ts';

/** A log of fixed entries and keys, so that its files can be compared byte for byte with those of other programs. */

export const SECONDS = 1763683200;

/** Returns the key of which the seed is the 32 bytes from `first` on. */
const sampleKey = (first: number) => localKey(privateKeyOf(Uint8Array.from({ length: 32 }, (_, i) => first + i)));

export const log = logSigner('acme.log.example', sampleKey(0x00));
export const witness = witnessSigner('us.witness.example', sampleKey(0x20), () => SECONDS);
export const logKey = parseVerifierKey(log.verifierKey);
export const witnessKey = parseVerifierKey(witness.verifierKey);

interface Chain {
  domain: string;
  links: { header: unknown; previous: string }[];
}

const vectors = new URL('../base/proofs/hash-chain.vectors.json', import.meta.url);
const [chain] = (JSON.parse(readFileSync(vectors, 'utf8')) as { chains: Chain[] }).chains;

/** Entries 0 to 2 are what the links of the first chain of the vectors hash. Entry n after them is the text `entry n`. */
const links = (chain?.links ?? []).map(({ header, previous }) =>
  Buffer.concat([
    Buffer.from(`${chain?.domain}\0\x02`),
    Buffer.from(previous, 'hex'),
    Buffer.from(canonicalJson(header)),
  ]),
);
export const entryAt = (index: number): Buffer => links[index] ?? Buffer.from(`entry ${index}`);
export const entries = Array.from({ length: 601 }, (_, index) => entryAt(index));
export const leaves = entries.map(leafHash);

const ranges = [EMPTY_RANGE];
for (const [size, leaf] of leaves.entries()) ranges.push(appendLeaves(ranges[size] ?? EMPTY_RANGE, [leaf]));

/** Returns the compact range of the first `size` entries. */
export const rangeOf = (size: number): CompactRange => ranges[size] ?? EMPTY_RANGE;

const fullTiles = new Map<number, Buffer>();

/** Returns a hash of a level of tiles: of a leaf, or the root of a full tile. Enough for two levels. */
export function hashAt(level: number, index: number): Buffer {
  if (level === 0) return leaves[index] ?? Buffer.alloc(0);
  const root = fullTiles.get(index) ?? rootOfLeaves(leaves.slice(index * TILE_WIDTH, (index + 1) * TILE_WIDTH));
  fullTiles.set(index, root);
  return root;
}

/** Returns the log at a size, and appends to `read` which tiles are read. */
export const treeOf = (size: number, read: string[] = []): ProvenTree => ({
  size,
  readTile: async ({ level, index, width }) => {
    read.push(`${level}/${index}/${width}`);
    return Array.from({ length: width }, (_, i) => hashAt(level, index * TILE_WIDTH + i));
  },
});

/** Returns the signed checkpoint of the log at a size, with the cosignature of the witness. */
export const checkpointOf = async (size: number): Promise<string> =>
  formatNote(await signNote(formatCheckpoint({ origin: log.name, size, root: rootOf(rangeOf(size)) }), [log, witness]));
