/**
 * What an endpoint or a function does to stored things beside reading the table: its role is given that and no more
 * (docs/iam.md), and tests refuse it everything else.
 */

/**
 * What an endpoint or a function does to stored things beside reading the table: its role is given that and no more
 * (docs/iam.md), and tests refuse it everything else.
 */
export interface Uses {
  /** Record families that it puts or updates. */
  writes?: readonly Family[];
  /** Those of them that it puts in batches, outside transactions. */
  batches?: readonly Family[];
  /** Record families of which it removes items. */
  removes?: readonly Family[];
  /** What it does in the evidence bucket, by prefix. */
  bucket?: readonly BucketUse[];
}

export const BUCKET_PREFIXES = ['uploads', 'bodies', 'evidence'] as const;
export type BucketPrefix = (typeof BUCKET_PREFIXES)[number];
export type BucketUse = `${BucketPrefix}:${'read' | 'write'}`;

/**
 * A record family: `@KEY` of the directory, or `TRAIL` of an organization (the second part of a partition key). Each room
 * names its own families in its keys.
 */
export type Family = string;

/** The record family of a partition key. */
export const familyOf = (pk: string): string => {
  const [first = '', second = ''] = pk.split('#');
  return first.startsWith('@') ? first : second;
};

/** What several use together. */
export function usesTogether(all: readonly Uses[]): Required<Uses> {
  const union = <T>(lists: readonly (readonly T[] | undefined)[]) => [...new Set(lists.flatMap((list) => list ?? []))];
  return {
    writes: union(all.map(({ writes }) => writes)).toSorted(),
    batches: union(all.map(({ batches }) => batches)).toSorted(),
    removes: union(all.map(({ removes }) => removes)).toSorted(),
    bucket: union(all.map(({ bucket }) => bucket)).toSorted(),
  };
}

/**
 * What an endpoint uses: whatever writes for a caller may also keep its first answer under an `Idempotency-Key`, in the
 * same transaction (design §3).
 */
export const usesForCaller = (uses: Uses = {}): Uses =>
  uses.writes && uses.writes.length > 0 ? { ...uses, writes: [...uses.writes, 'IDEMPOTENCY'] } : uses;
