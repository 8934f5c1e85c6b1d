import { describe, expect, test } from 'vitest';
import {
  decodeBundle,
  decodeTile,
  encodeBundle,
  encodeTile,
  newTiles,
  parseTilePath,
  tilePath,
  tileWidth,
} from '#shared/tlog/tiles.ts';
import { leaves } from './sample-log.ts';

describe('a path of a tile', () => {
  test.each([
    ['0/000', { level: 0, index: 0, width: 256 }],
    ['0/000.p/255', { level: 0, index: 0, width: 255 }],
    ['63/999.p/1', { level: 63, index: 999, width: 1 }],
    ['1/x001/000', { level: 1, index: 1000, width: 256 }],
    ['entries/x001/x234/067.p/12', { level: 'entries', index: 1234067, width: 12 }],
    ['2/x009/x007/x199/x254/x740/991', { level: 2, index: 9_007_199_254_740_991, width: 256 }],
  ] as const)('%s is written and read', (path, tile) => {
    expect(tilePath(tile)).toBe(path);
    expect(parseTilePath(path)).toEqual(tile);
  });

  test.each([
    ['that is empty', ''],
    ['without an index', '0'],
    ['with an empty index', '0/'],
    ['of level 64', '64/000'],
    ['of a level with a leading zero', '00/000'],
    ['of a negative level', '-1/000'],
    ['of an unknown kind', 'data/000'],
    ['with a short group', '0/67'],
    ['with a long group', '0/0067'],
    ['without x', '0/001/067'],
    ['with x at the last group', '0/x067'],
    ['with a needless group', '0/x000/067'],
    ['with an index above 2^53 - 1', '0/x009/x007/x199/x254/x740/992'],
    ['of width 0', '0/000.p/0'],
    ['of width 256', '0/000.p/256'],
    ['of a width with a leading zero', '0/000.p/01'],
    ['without a width', '0/000.p/'],
    ['with a partial directory only', '0/000.p'],
    ['with something behind it', '0/000.p/1/2'],
    ['with a slash at its end', '0/000/'],
    ['with a slash at its start', '/0/000'],
    ['with the folder of tiles', 'tile/0/000'],
    ['with a line feed', '0/000\n'],
    ['with other digits', '0/٠٠٠'],
    ['in capitals', '0/X001/000'],
  ])('a path of a tile %s is refused', (_, path) => {
    expect(parseTilePath(path)).toBeUndefined();
  });
});

test.each([
  [0, 0, 0, 0],
  [1, 0, 0, 1],
  [1, 'entries', 0, 1],
  [255, 1, 0, 0],
  [256, 0, 0, 256],
  [256, 0, 1, 0],
  [256, 1, 0, 1],
  [600, 0, 2, 88],
  [600, 'entries', 2, 88],
  [600, 1, 0, 2],
  [600, 2, 0, 0],
  [70_000, 1, 1, 17],
  [70_000, 2, 0, 1],
  [2 ** 40 + 5, 5, 0, 1],
] as const)('a log of size %d has at level %s in tile %i the width %i', (size, level, index, width) => {
  expect(tileWidth(size, level, index)).toBe(width);
});

test.each([
  [0, 0, []],
  [7, 7, []],
  [0, 1, ['entries/000.p/1', '0/000.p/1']],
  [0, 256, ['entries/000', '0/000', '1/000.p/1']],
  [255, 257, ['entries/000', 'entries/001.p/1', '0/000', '0/001.p/1', '1/000.p/1']],
  [513, 600, ['entries/002.p/88', '0/002.p/88']],
  [65_535, 65_536, ['entries/255', '0/255', '1/000', '2/000.p/1']],
])('a log that grows from %i to %i gets new tiles', (since, size, paths) => {
  expect([...newTiles(since, size)].map(tilePath)).toEqual(paths);
});

describe('a bundle', () => {
  const parts = [Buffer.from('a'), Buffer.alloc(0), Buffer.alloc(65_535, 7)];

  test('has each entry after its length, and is the sum of its parts', () => {
    expect(encodeBundle(parts.slice(0, 2))).toEqual(Buffer.from('0001610000', 'hex'));
    expect(decodeBundle(encodeBundle(parts))).toEqual(parts);
    expect(Buffer.concat(parts.map((part) => encodeBundle([part])))).toEqual(encodeBundle(parts));
    expect(decodeBundle(Buffer.alloc(0))).toEqual([]);
  });

  test('takes no entry above 65,535 bytes', () => {
    expect(() => encodeBundle([Buffer.alloc(65_536)])).toThrow('An entry has 65536 bytes.');
  });

  test.each([
    ['cut off in a length', '00016100', undefined, 'Entry 1 of the bundle is cut off.'],
    ['cut off in an entry', '00016100026162'.slice(0, -2), undefined, 'Entry 1 of the bundle is cut off.'],
    ['too short', '000161', 2, 'The bundle has the width 1 instead of 2.'],
    ['too long', '0001610000', 1, 'The bundle has the width 2 instead of 1.'],
    ['above 256 entries', '0000'.repeat(257), undefined, 'The bundle has the width 257, above 256.'],
  ])('is refused if it is %s', (_, hex, width, sentence) => {
    expect(() => decodeBundle(Buffer.from(hex, 'hex'), width)).toThrow(sentence);
  });
});

describe('a tile', () => {
  const hashes = leaves.slice(0, 256);

  test('consists of its hashes', () => {
    expect(encodeTile(hashes)).toHaveLength(8192);
    expect(decodeTile(encodeTile(hashes), 256)).toEqual(hashes);
  });

  test.each([
    ['cut off', encodeTile(hashes).subarray(1), undefined, 'A tile of 8191 bytes does not consist of hashes.'],
    ['too narrow', encodeTile(hashes), 255, 'The tile has the width 256 instead of 255.'],
    ['too wide', encodeTile(leaves.slice(0, 257)), undefined, 'The tile has the width 257, above 256.'],
  ])('is refused if it is %s', (_, bytes, width, sentence) => {
    expect(() => decodeTile(bytes, width)).toThrow(sentence);
  });
});
