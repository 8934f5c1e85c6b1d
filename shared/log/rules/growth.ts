import { TILE_WIDTH } from '#shared/tlog/tiles.ts';
import { appendLeaves, type CompactRange, nodesAbove, rootOf } from '#shared/tlog/tree.ts';

/** How the compact range of a log grows, bundle by bundle (rules/log.md#continuity). */

/** By the index of a full bundle: the roots of all full subtrees of at least 256 entries that end with it. */
export type BundleRoots = ReadonlyMap<number, readonly Buffer[]>;

export interface Grown {
  range: CompactRange;
  full: BundleRoots;
}

/** Returns the range with these leaves appended, and the roots of the bundles that became full since the beginning. */
export function grow({ range, full }: Grown, leaves: readonly Buffer[]): Grown {
  const roots = new Map(full);
  let grown = range;
  for (let done = 0; done < leaves.length; ) {
    const part = leaves.slice(done, done + TILE_WIDTH - (grown.size % TILE_WIDTH));
    const bundle = Math.floor(grown.size / TILE_WIDTH);
    if ((grown.size + part.length) % TILE_WIDTH === 0) roots.set(bundle, rootsEndingWith(bundle, grown, part));
    grown = appendLeaves(grown, part);
    done += part.length;
  }
  return { range: grown, full: roots };
}

/** @param before the range in front of the last leaves of the bundle */
function rootsEndingWith(bundle: number, before: CompactRange, last: readonly Buffer[]): Buffer[] {
  const size = before.size % TILE_WIDTH;
  const bundles = bitsSet(bundle);
  const own = appendLeaves({ size, hashes: before.hashes.slice(bundles) }, last);
  const siblings = before.hashes.slice(0, bundles).reverse();
  return nodesAbove(rootOf(own), siblings.slice(0, onesAtTheEnd(bundle)));
}

export const isSameRange = (one: CompactRange, other: CompactRange): boolean =>
  one.size === other.size && Buffer.concat(one.hashes).equals(Buffer.concat(other.hashes));

const bitsSet = (count: number): number => count.toString(2).replaceAll('0', '').length;

function onesAtTheEnd(count: number): number {
  let ones = 0;
  for (let rest = count; rest % 2 === 1; rest = (rest - 1) / 2) ones += 1;
  return ones;
}
