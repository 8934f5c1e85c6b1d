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

/** Families of the directory, whose partition keys begin with them (design §2.11). */
export const DIRECTORY_FAMILIES = [
  '@KEY',
  '@KEYS',
  '@ORG',
  '@ORGS',
  '@USER',
  '@DUE',
  '@NOTIFIED',
  '@EVALUATING',
] as const;

/** Families of an organization: the second part of a partition key, after the organization's id. */
export const ORGANIZATION_FAMILIES = [
  'MEMBER',
  'FLOWNAME',
  'FLOW',
  'TRAIL',
  'MOMENT',
  'RUNTIME',
  'ATTESTATION',
  'ARTIFACT',
  'SHA',
  'FINGERPRINT',
  'FLOWTAG',
  'DECISION',
  'REPO',
  'REPOID',
  'REPOTAG',
  'TYPE',
  'ENVNAME',
  'ENV',
  'SNAPSHOT',
  'EXPANDED',
  'ENVEVENT',
  'RUNNING',
  'FLOWRUNS',
  'DEPLOYMENTS',
  'ALLOWED',
  'POLICYNAME',
  'POLICY',
  'CONTROLPOLICY',
  'CONTROL',
  'EVALUATION',
  'BODY',
  'UPLOAD',
  'CATALOGUE',
  'SERIES',
  'MILESTONES',
  'SERIESLIST',
  'IDEMPOTENCY',
  'ACTION',
  'ACTIONS',
  'ACTIONNAME',
  'ACTIONSECRET',
  'HEALTH',
  'DELIVERY',
  'RELAYED',
  'ACCOUNT',
  'AUDIT',
] as const;

export type Family = (typeof DIRECTORY_FAMILIES)[number] | (typeof ORGANIZATION_FAMILIES)[number];

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

/** What is used by whoever commits something to a trail: the trail itself, its flow and repository, what is new in lists. */
export const COMMIT_USES: Uses = {
  writes: ['FLOWNAME', 'FLOW', 'TRAIL', 'MOMENT', 'CATALOGUE', 'SERIES', 'REPO', 'REPOID', 'BODY'],
  removes: ['REPO'],
  bucket: ['bodies:read', 'bodies:write'],
};

/** What is used by whoever reads texts that callers gave, which lie in the bucket where they are long (design §2.10). */
export const READ_BODIES: Uses = { bucket: ['bodies:read'] };

/** What is used by whoever creates or changes a flow. */
export const WRITE_FLOW: Uses = {
  writes: ['FLOWNAME', 'FLOW', 'CATALOGUE', 'BODY', 'AUDIT'],
  bucket: ['bodies:read', 'bodies:write'],
};
