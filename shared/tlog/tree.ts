import { hash } from 'node:crypto';

/** Merkle trees with SHA-256 (RFC 9162 §2.1, the same as RFC 6962 §2.1; rules/log.md#tree). */

export const HASH_BYTES = 32;

const LEAF_PREFIX = Buffer.of(0);
const NODE_PREFIX = Buffer.of(1);

/** Hashes an entry: `SHA-256(0x00 ‖ entry)`. */
export const leafHash = (entry: Uint8Array): Buffer => hash('sha256', Buffer.concat([LEAF_PREFIX, entry]), 'buffer');

/** Hashes two neighbouring subtrees: `SHA-256(0x01 ‖ left ‖ right)`. */
export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer =>
  hash('sha256', Buffer.concat([NODE_PREFIX, left, right]), 'buffer');

export const EMPTY_ROOT: Buffer = hash('sha256', '', 'buffer');

/**
 * What has to be remembered of a tree to append to it: the roots of its full subtrees, from left to right. There is
 * one for each bit that is set in the size, so at most 53.
 */
export interface CompactRange {
  size: number;
  hashes: Buffer[];
}

export const EMPTY_RANGE: CompactRange = { size: 0, hashes: [] };

/** Returns the compact range of the tree with these leaves appended. The given range stays as it is. */
export function appendLeaves(range: CompactRange, leafHashes: readonly Buffer[]): CompactRange {
  checkRange(range);
  const hashes = [...range.hashes];
  let size = range.size;
  for (const leaf of leafHashes) {
    let node = leaf;
    for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) node = nodeHash(hashes.pop() ?? EMPTY_ROOT, node);
    hashes.push(node);
    size += 1;
  }
  return { size, hashes };
}

/**
 * Returns the roots of the full subtrees that end with a leaf: the leaf hash, then one for each height.
 *
 * @param siblings roots of the full subtrees before them, from the smallest on: one for each 1 at the end of the binary index
 */
export const nodesAbove = (leaf: Buffer, siblings: readonly Buffer[]): Buffer[] => {
  const nodes = [leaf];
  for (const left of siblings) nodes.push(nodeHash(left, nodes.at(-1) ?? EMPTY_ROOT));
  return nodes;
};

export function rootOf(range: CompactRange): Buffer {
  checkRange(range);
  return joined(range.hashes);
}

/** Joins the roots of neighbouring full subtrees, whose sizes decrease from left to right. */
export const joined = (hashes: readonly Buffer[]): Buffer =>
  hashes.length === 0 ? EMPTY_ROOT : hashes.reduceRight((right, left) => nodeHash(left, right));

/** Returns the root of a tree with these leaf hashes. The hashes of one level of a subtree may stand for leaves. */
export const rootOfLeaves = (leafHashes: readonly Buffer[]): Buffer => rootOf(appendLeaves(EMPTY_RANGE, leafHashes));

/** A range whose hashes do not fit its size would give wrong roots silently. */
function checkRange({ size, hashes }: CompactRange): void {
  if (!Number.isSafeInteger(size) || size < 0) throw new RangeError(`${size} is not a size of a tree.`);
  const needed = bitsSet(size);
  if (hashes.length !== needed) {
    throw new RangeError(`A compact range of size ${size} has ${needed} hashes, this one has ${hashes.length}.`);
  }
}

const bitsSet = (size: number): number => size.toString(2).replaceAll('0', '').length;
