/** Settings of the event source that calls the relay, in a region and on one machine (rules/storage.md#event-source). */
export const RELAY_SOURCE = {
  /** Most records of one call. */
  batch: 100,
  /** Calls after the first one that a batch gets before the source gives it up. */
  retries: 10,
  /** Calls at the same time per shard. Records of one item are never in two of them. */
  parallel: 4,
} as const;

/** A comparison with a text. `exists` asks only whether the attribute is there. */
type Comparison = string | { prefix: string } | { suffix: string } | { exists: true };
/** Comparisons of one attribute of an item, by its type in the database. One of them has to hold. */
type AttributePattern = Readonly<
  Record<string, Readonly<Partial<Record<'S' | 'BOOL' | 'NULL', readonly Comparison[]>>>>
>;

const exists = [{ exists: true }] as const;

/**
 * The items with effects (rules/storage.md#filter). An item needs to fit one pattern. Only new images are compared, so records of
 * removals fit none. More items may fit than have effects.
 */
export const RELAY_ITEMS = [
  // Heads of flows and of logical environments. The head of a log has no name, and is written as often as the log grows.
  { sk: { S: ['HEAD'] }, name: { S: exists } },
  // Heads of controls.
  { sk: { S: ['HEAD'] }, identifier: { S: exists } },
  // Tags of flows, snapshots.
  { sk: { S: ['TAGS', { prefix: 'S#' }] } },
  // Entries of series: the last part of their partition key is a shard.
  { pk: { S: [{ suffix: '#0' }] } },
  // Moments, entries of the audit log, gaps.
  { kind: { S: exists } },
  // Evaluations.
  { status: { S: exists } },
  // Signed statements.
  { about: { S: exists } },
  // Versions of policies.
  { comment: { S: exists } },
  // Versions of recalls.
  { pk: { S: [{ suffix: '#RECALL#VERSIONS' }] } },
  // Entries of allow-lists.
  { added: { BOOL: exists } },
  // Attestations that may have an SBOM or OpenVEX.
  { toRead: { BOOL: exists } },
  // Deliveries that the relay has to send.
  { toSend: { BOOL: exists } },
  // Environments whose reports are missing: each report ends gaps.
  { openGap: { S: exists } },
  // Exports and packages that no worker has begun.
  { owner: { NULL: exists } },
] as const satisfies readonly AttributePattern[];

/** The filter criterion of the event source, in the syntax of its platform. */
export const RELAY_FILTER = { $or: RELAY_ITEMS.map((NewImage) => ({ dynamodb: { NewImage } })) };

/** Whether the event source calls the relay with a record that has this new image, as the platform decides by {@link RELAY_FILTER}. */
export function passesFilter(
  image: Readonly<Record<string, object>> | undefined,
  patterns: readonly AttributePattern[] = RELAY_ITEMS,
): boolean {
  if (!image) return false;
  return patterns.some((pattern) =>
    Object.entries(pattern).every(([attribute, types]) =>
      Object.entries(types).every(([type, comparisons]) => {
        const value: unknown = new Map(Object.entries(image[attribute] ?? {})).get(type);
        return value !== undefined && comparisons.some((comparison) => holds(comparison, value));
      }),
    ),
  );
}

function holds(comparison: Comparison, value: unknown): boolean {
  if (typeof comparison === 'string') return value === comparison;
  if ('exists' in comparison) return true;
  if (typeof value !== 'string') return false;
  return 'prefix' in comparison ? value.startsWith(comparison.prefix) : value.endsWith(comparison.suffix);
}
