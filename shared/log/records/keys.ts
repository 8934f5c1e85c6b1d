import {
  type EnvironmentId,
  type FlowId,
  type Id,
  type OrganizationId,
  storedId,
  type TrailId,
} from '#shared/base/ids.ts';
import { family, sequence } from '#shared/table/keys.ts';
import type { Key } from '#shared/table/table.ts';

// The log of an organization. Checkpoint and head are neighbours, so that one Query reads both.

export const logPartition = (org: OrganizationId): string => family(org, 'LOG');
/** The newest checkpoint that was published. */
export const checkpointKey = (org: OrganizationId): Key => ({ pk: logPartition(org), sk: 'CHECKPOINT' });
/** The newest checkpoint that witnesses cosigned. */
export const cosignedKey = (org: OrganizationId): Key => ({ pk: logPartition(org), sk: 'COSIGNED' });
/** Which size each witness cosigned last, and when they are asked again. */
export const cosignersKey = (org: OrganizationId): Key => ({ pk: logPartition(org), sk: 'COSIGNERS' });
/** Size and right edge of the tree. */
export const logHeadKey = (org: OrganizationId): Key => ({ pk: logPartition(org), sk: 'HEAD' });
/** Where a backfill continues. */
export const backfillKey = (org: OrganizationId): Key => ({ pk: logPartition(org), sk: 'BACKFILL' });
/** How far the nightly walk over the log came. */
export const walkKey = (org: OrganizationId): Key => ({ pk: logPartition(org), sk: 'WALK' });
/** Entries that one transaction appended, by the index of the first. */
export const logBatchKey = (org: OrganizationId, first: number): Key => ({
  pk: logPartition(org),
  sk: `B#${sequence(first)}`,
});
/** The root of a full tile. It is one hash of the tile above. */
export const tileRootKey = (org: OrganizationId, level: number, index: number): Key => ({
  pk: logPartition(org),
  sk: `N#${level}#${sequence(index)}`,
});

/**
 * The largest tree of another log that this region's witness has cosigned.
 *
 * @param digest SHA-256 of the origin in hex
 */
export const witnessedKey = (digest: string): Key => ({ pk: `@WITNESS#${digest}`, sk: 'TREE' });

// Claims: which index the entry of a subject has. A subject has one claim, so it has one entry.

export const trailClaimPartition = (org: OrganizationId, flow: FlowId, trail: TrailId): string =>
  family(org, 'LOGGED', 'T', flow, trail);
export const trailClaimKey = (org: OrganizationId, flow: FlowId, trail: TrailId, number: number): Key => ({
  pk: trailClaimPartition(org, flow, trail),
  sk: sequence(number),
});
export const environmentClaimPartition = (org: OrganizationId, environment: EnvironmentId): string =>
  family(org, 'LOGGED', 'E', environment);
export const environmentClaimKey = (org: OrganizationId, environment: EnvironmentId, number: number): Key => ({
  pk: environmentClaimPartition(org, environment),
  sk: sequence(number),
});
export const auditClaimKey = (org: OrganizationId, month: string, entry: Id): Key => ({
  pk: family(org, 'LOGGED', 'A', month),
  sk: entry,
});
/** The month is the one of the request, which the id of the evaluation tells. */
export const evaluationClaimKey = (org: OrganizationId, month: string, evaluation: Id): Key => ({
  pk: family(org, 'LOGGED', 'V', month),
  sk: evaluation,
});
/** The first two digits of the digest spread the claims of statements over 256 partitions. */
export const statementClaimKey = (org: OrganizationId, digest: string): Key => ({
  pk: family(org, 'LOGGED', 'S', digest.slice(0, 2)),
  sk: digest,
});

// Statements. The first digit of the id spreads them over 16 partitions, which an export reads one after the other.

export const statementPartition = (org: OrganizationId, digit: string): string => family(org, 'STATEMENT', digit);
export const statementKey = (org: OrganizationId, id: Id): Key => ({
  pk: statementPartition(org, id.slice(0, 1)),
  sk: id,
});
/** Reads the organization from the partition of {@link statementKey}. Returns null for every other partition. */
export const readStatementPartition = (pk: string): OrganizationId | null => {
  const [org = '', name] = pk.split('#');
  return name === 'STATEMENT' ? storedId(org) : null;
};
