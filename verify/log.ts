import type { Checkpoint } from '#shared/tlog/checkpoint.ts';
import { decodeBundle, decodeTile, TILE_WIDTH, type Tile, tilePath, tileWidth } from '#shared/tlog/tiles.ts';
import { appendLeaves, EMPTY_RANGE, leafHash, rootOf, rootOfLeaves } from '#shared/tlog/tree.ts';
import { Chains } from './chains.ts';
import { Fault, inPlace } from './fault.ts';

export interface LogFiles {
  /** @param path below the log: `checkpoint` or `tile/…` */
  read(path: string): Promise<Buffer>;
  /** Names a file for faults. */
  place(path: string): string;
}

/** Bundles that are read at the same time. Over a network, most of the time is spent waiting. */
const AT_ONCE = 8;

/**
 * Verifies every bundle and every tile of a log against the root of its checkpoint, and reads all entries
 * (rules/verification.md#whole-log).
 */
export async function verifyLog(files: LogFiles, checkpoint: Checkpoint): Promise<Chains> {
  const { size } = checkpoint;
  const chains = new Chains(checkpoint);
  const faults = new Findings();
  let range = EMPTY_RANGE;
  /** Roots of full tiles by level: `roots[0]` are those of level 0, which tiles of level 1 hold. */
  const roots: Buffer[][] = [[]];
  const bundles = Math.ceil(size / TILE_WIDTH);
  for (let first = 0; first < bundles; first += AT_ONCE) {
    const indexes = Array.from({ length: Math.min(AT_ONCE, bundles - first) }, (_, i) => first + i);
    const read = await Promise.all(indexes.map((index) => readBundle(files, size, index)));
    for (const { index, bundle, entries, tile, hashes } of read) {
      const leaves = entries.map(leafHash);
      const wrong = leaves.findIndex((leaf, i) => !hashes[i]?.equals(leaf));
      if (wrong >= 0) {
        const entry = index * TILE_WIDTH + wrong;
        faults.differing(`${bundle}: entry ${entry}`, tile, `entry ${entry} does not have the leaf hash of ${tile}`);
      }
      for (const [i, entry] of entries.entries()) {
        const at = index * TILE_WIDTH + i;
        faults.ofEntry(() => chains.add(`${bundle}: entry ${at}`, at, entry));
      }
      range = appendLeaves(range, leaves);
      if (leaves.length === TILE_WIDTH) roots[0]?.push(rootOfLeaves(leaves));
    }
  }
  for (let level = 1; (roots[level - 1]?.length ?? 0) > 0; level += 1) {
    roots[level] = await verifyLevel(files, { level, hashes: roots[level - 1] ?? [] }, faults);
  }
  faults.throwFirst(rootOf(range).equals(checkpoint.root), files.place('checkpoint'));
  chains.check(
    (index) => `${files.place(`tile/${tilePath(bundleOf(size, Math.floor(index / TILE_WIDTH)))}`)}: entry ${index}`,
  );
  return chains;
}

/**
 * What was found while a log was read. Only when the root of the entries is known, it is clear which of two files that
 * differ is wrong.
 */
class Findings {
  #differing?: { entry: string; tile: string; what: string };
  #ofEntry?: unknown;

  differing(entry: string, tile: string, what: string): void {
    this.#differing ??= { entry, tile, what };
  }

  ofEntry(step: () => void): void {
    if (this.#ofEntry !== undefined) return;
    try {
      step();
    } catch (error) {
      this.#ofEntry = error;
    }
  }

  throwFirst(isRoot: boolean, checkpoint: string): void {
    if (this.#differing) {
      const { entry, tile, what } = this.#differing;
      throw isRoot
        ? new Fault(tile, 'the hashes are not those of the entries, and the entries have the root of the checkpoint')
        : new Fault(entry, what);
    }
    if (!isRoot) throw new Fault(checkpoint, 'the entries do not have the root of the checkpoint');
    if (this.#ofEntry !== undefined) throw this.#ofEntry;
  }
}

const bundleOf = (size: number, index: number): Tile => ({
  level: 'entries',
  index,
  width: tileWidth(size, 'entries', index),
});

async function readBundle(files: LogFiles, size: number, index: number) {
  const width = tileWidth(size, 'entries', index);
  const paths = (['entries', 0] as const).map((level) => `tile/${tilePath({ level, index, width })}`);
  const [bundlePath = '', tilePathOf = ''] = paths;
  const [bundleBytes, tileBytes] = await Promise.all([files.read(bundlePath), files.read(tilePathOf)]);
  const [bundle, tile] = [files.place(bundlePath), files.place(tilePathOf)];
  return {
    index,
    bundle,
    tile,
    entries: inPlace(bundle, () => decodeBundle(bundleBytes, width)),
    hashes: inPlace(tile, () => decodeTile(tileBytes, width)),
  };
}

/** Compares the tiles of a level with the roots of the full tiles below. @returns the roots of its own full tiles */
async function verifyLevel(
  files: LogFiles,
  { level, hashes }: { level: number; hashes: readonly Buffer[] },
  faults: Findings,
): Promise<Buffer[]> {
  const roots: Buffer[] = [];
  for (let index = 0; index * TILE_WIDTH < hashes.length; index += 1) {
    const expected = hashes.slice(index * TILE_WIDTH, (index + 1) * TILE_WIDTH);
    const path = `tile/${tilePath({ level, index, width: expected.length })}`;
    const bytes = await files.read(path);
    const read = inPlace(files.place(path), () => decodeTile(bytes, expected.length));
    const wrong = expected.findIndex((hash, i) => !read[i]?.equals(hash));
    if (wrong >= 0) {
      const what = `hash ${wrong} of ${files.place(path)} is not the root of its tile below`;
      faults.differing(files.place(path), files.place(path), what);
    }
    if (expected.length === TILE_WIDTH) roots.push(rootOfLeaves(expected));
  }
  return roots;
}
