import { malformed } from './errors.ts';
import { HASH_BYTES } from './tree.ts';

/** Tiles and entry bundles (C2SP tlog-tiles; rules/log.md#tiles). */

/** Hashes in a full tile, and entries in a full bundle. A tile has eight levels of the tree. */
export const TILE_WIDTH = 256;

/** The highest level that the standard gives a path. */
const MAX_LEVEL = 63;
const MAX_ENTRY_BYTES = 0xffff;

export interface Tile {
  /** `entries` for a bundle. Level 0 holds hashes of leaves, level 1 the roots of full tiles of level 0, and so on. */
  level: number | 'entries';
  index: number;
  /** 1 to 256; less than 256 is a partial tile. */
  width: number;
}

export interface HashTile extends Tile {
  level: number;
}

/** Returns the path of a tile below `tile/`, as `0/x001/x234/067` or `entries/000.p/12`. */
export function tilePath({ level, index, width }: Tile): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  const path = [level, ...groups.map((group, i) => (i < groups.length - 1 ? `x${group}` : group))].join('/');
  return width === TILE_WIDTH ? path : `${path}.p/${width}`;
}

const PATH = /^(entries|\d{1,2})\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d{1,3}))?$/;

/** Reads a path below `tile/`. Returns undefined unless it is exactly the path that {@link tilePath} gives to a tile. */
export function parseTilePath(path: string): Tile | undefined {
  const [, level = '', groups = '', partial] = PATH.exec(path) ?? [];
  const index = Number(groups.replace(/[x/]/g, ''));
  const width = partial === undefined ? TILE_WIDTH : Number(partial);
  if (!Number.isSafeInteger(index) || Number(level) > MAX_LEVEL) return undefined;
  if (width < 1 || width > TILE_WIDTH) return undefined;
  const tile: Tile = { level: level === 'entries' ? level : Number(level), index, width };
  return tilePath(tile) === path ? tile : undefined;
}

/**
 * Returns how many hashes or entries a tile has in a log of this size: 256 if it is full, 0 if the log has no such
 * tile. A partial tile is not hashed into the level above.
 */
export function tileWidth(size: number, level: Tile['level'], index: number): number {
  const nodes = Math.floor(size / TILE_WIDTH ** (level === 'entries' ? 0 : level));
  return Math.max(0, Math.min(TILE_WIDTH, nodes - index * TILE_WIDTH));
}

/** Yields the tiles and bundles of a log that grew from `since` to `size`, without those that it had before. */
export function* newTiles(since: number, size: number): Generator<Tile> {
  for (const level of ['entries', ...Array(MAX_LEVEL + 1).keys()] as const) {
    const span = TILE_WIDTH ** (level === 'entries' ? 1 : level + 1);
    for (let index = Math.floor(since / span); ; index++) {
      const width = tileWidth(size, level, index);
      if (width === 0) break;
      if (width !== tileWidth(since, level, index)) yield { level, index, width };
    }
  }
}

/**
 * Encodes entries as a bundle: each entry after its length as 16 bits, high byte first. The encodings of neighbouring
 * parts of a bundle, one after the other, are the encoding of the whole.
 */
export function encodeBundle(entries: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    entries.flatMap((entry) => {
      if (entry.length > MAX_ENTRY_BYTES) {
        throw new RangeError(`An entry has ${entry.length} bytes. A bundle takes at most ${MAX_ENTRY_BYTES}.`);
      }
      return [Buffer.of(entry.length >> 8, entry.length & 0xff), entry];
    }),
  );
}

/**
 * Returns the entries of a bundle.
 *
 * @param width number of entries that it must have; without it, at most 256
 * @throws TlogError `malformed` if an entry is cut off, bytes are left over or the number of entries is wrong
 */
export function decodeBundle(bytes: Uint8Array, width?: number): Buffer[] {
  const buffer = asBuffer(bytes);
  const entries: Buffer[] = [];
  for (let at = 0; at < buffer.length; ) {
    const start = at + 2;
    const end = start <= buffer.length ? start + buffer.readUInt16BE(at) : Number.POSITIVE_INFINITY;
    if (end > buffer.length) throw malformed(`Entry ${entries.length} of the bundle is cut off.`);
    entries.push(buffer.subarray(start, end));
    at = end;
  }
  return withWidth(entries, width, 'bundle');
}

export const encodeTile = (hashes: readonly Buffer[]): Buffer => Buffer.concat(hashes);

/** Returns the hashes of a tile. @param width as {@link decodeBundle} @throws TlogError `malformed` */
export function decodeTile(bytes: Uint8Array, width?: number): Buffer[] {
  const buffer = asBuffer(bytes);
  if (buffer.length % HASH_BYTES !== 0) throw malformed(`A tile of ${buffer.length} bytes does not consist of hashes.`);
  const hashes = Array.from({ length: buffer.length / HASH_BYTES }, (_, i) =>
    buffer.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  );
  return withWidth(hashes, width, 'tile');
}

function withWidth(parts: Buffer[], width: number | undefined, what: string): Buffer[] {
  if (width !== undefined && parts.length !== width) {
    throw malformed(`The ${what} has the width ${parts.length} instead of ${width}.`);
  }
  if (parts.length > TILE_WIDTH) throw malformed(`The ${what} has the width ${parts.length}, above ${TILE_WIDTH}.`);
  return parts;
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
