/**
 * The changes to stored items and the use of the bucket that an endpoint or a function declares. Its role gets these
 * rights only (docs/iam.md), and tests refuse it everything else.
 */
export interface Uses {
  /**
   * Record families that it reads. A function for strangers reads these and the families that it writes. All other functions
   * read every family without a declaration, except those with secrets (rules/storage.md#rights-to-read).
   */
  reads?: readonly Family[];
  /** Record families of which a function for strangers also reads many partitions with one statement. */
  selects?: readonly Family[];
  /** Record families that it puts or updates. */
  writes?: readonly Family[];
  /** Families that it also puts in batches, outside transactions. */
  batches?: readonly Family[];
  /** Record families of which it removes items. */
  removes?: readonly Family[];
  /** Record families of which a transaction checks an item that it does not write. */
  checks?: readonly Family[];
  /** Uses of the evidence bucket, by prefix. */
  bucket?: readonly BucketUse[];
  /** Uses of the keys that sign (rules/log.md#signing-keys). */
  keys?: readonly KeyUse[];
}

export const BUCKET_PREFIXES = ['uploads', 'bodies', 'evidence', 'log', 'exports'] as const;
export type BucketPrefix = (typeof BUCKET_PREFIXES)[number];
export type BucketUse = `${BucketPrefix}:${'read' | 'write' | 'erase' | 'list'}`;

/** The keys that sign: checkpoints of logs, cosignatures of checkpoints of other logs, statements. */
export const SIGNING_KEYS = ['log', 'witness', 'statement'] as const;
export type SigningKeyName = (typeof SIGNING_KEYS)[number];
/** `read` is a use of the public half. To sign includes it. */
type KeyUse = `${SigningKeyName}:${'read' | 'sign'}`;

/**
 * A record family: `@KEY` of the directory, or `TRAIL` of an organization (the second part of a partition key). Each room
 * names its own families in its keys.
 */
export type Family = string;

/** Returns the record family of a partition key. */
export const familyOf = (pk: string): string => {
  const [first = '', second = ''] = pk.split('#');
  return first.startsWith('@') ? first : second;
};

/** Combines several declarations. */
export function usesTogether(all: readonly Uses[]): Required<Uses> {
  const union = <T>(lists: readonly (readonly T[] | undefined)[]) => [...new Set(lists.flatMap((list) => list ?? []))];
  return {
    reads: union(all.map(({ reads }) => reads)).toSorted(),
    selects: union(all.map(({ selects }) => selects)).toSorted(),
    writes: union(all.map(({ writes }) => writes)).toSorted(),
    batches: union(all.map(({ batches }) => batches)).toSorted(),
    removes: union(all.map(({ removes }) => removes)).toSorted(),
    checks: union(all.map(({ checks }) => checks)).toSorted(),
    bucket: union(all.map(({ bucket }) => bucket)).toSorted(),
    keys: union(all.map(({ keys }) => keys)).toSorted(),
  };
}

/** Returns whether a function does nothing but read a few items by their keys. */
export const onlyReads = ({ reads: _, ...others }: Uses): boolean =>
  Object.values(others).every((uses) => uses.length === 0);

/**
 * Returns the uses of an endpoint. A write for a caller can also store its answer under an `Idempotency-Key` in the
 * same transaction (rules/requests.md#idempotency-key).
 */
export const usesForCaller = (uses: Uses = {}): Uses =>
  uses.writes && uses.writes.length > 0 ? { ...uses, writes: [...uses.writes, 'IDEMPOTENCY'] } : uses;
