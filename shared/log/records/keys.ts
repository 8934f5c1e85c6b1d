import {
  type EnvironmentId,
  type FlowId,
  type Id,
  type OrganizationId,
  storedId,
  type TrailId,
} from '#shared/base/ids.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { directory, family, keyIn, sequence } from '#shared/table/keys.ts';

// The log of an organization. Checkpoint and head are neighbours, so that one Query reads both.

export const logPartition = (org: OrganizationId): PartitionKey => family(org, 'LOG');
export const checkpointKey = (org: OrganizationId): Key => keyIn(logPartition(org), 'CHECKPOINT');
export const cosignedKey = (org: OrganizationId): Key => keyIn(logPartition(org), 'COSIGNED');
export const cosignersKey = (org: OrganizationId): Key => keyIn(logPartition(org), 'COSIGNERS');
export const logHeadKey = (org: OrganizationId): Key => keyIn(logPartition(org), 'HEAD');
export const backfillKey = (org: OrganizationId): Key => keyIn(logPartition(org), 'BACKFILL');
export const walkKey = (org: OrganizationId): Key => keyIn(logPartition(org), 'WALK');
export const logBatchKey = (org: OrganizationId, first: number): Key =>
  keyIn(logPartition(org), `B#${sequence(first)}`);
/** The root of a full tile. It is one hash of the tile above. */
export const tileRootKey = (org: OrganizationId, level: number, index: number): Key =>
  keyIn(logPartition(org), `N#${level}#${sequence(index)}`);

/** @param digest SHA-256 of the origin in hex */
export const witnessedKey = (digest: string): Key => keyIn(directory('@WITNESS', digest), 'TREE');

/** The line of logs that wait for a signature, one for the region. */
export const signatureLineKey = (): Key => keyIn(directory('@SIGNATURES'), 'LINE');

// Claims: which index the entry of a subject has. A subject has one claim, so it has one entry.

export const trailClaimPartition = (org: OrganizationId, flow: FlowId, trail: TrailId): PartitionKey =>
  family(org, 'LOGGED', 'T', flow, trail);
export const trailClaimKey = (org: OrganizationId, flow: FlowId, trail: TrailId, number: number): Key =>
  keyIn(trailClaimPartition(org, flow, trail), sequence(number));
export const environmentClaimPartition = (org: OrganizationId, environment: EnvironmentId): PartitionKey =>
  family(org, 'LOGGED', 'E', environment);
export const environmentClaimKey = (org: OrganizationId, environment: EnvironmentId, number: number): Key =>
  keyIn(environmentClaimPartition(org, environment), sequence(number));
export const auditClaimKey = (org: OrganizationId, month: string, entry: Id): Key =>
  keyIn(family(org, 'LOGGED', 'A', month), entry);
/** The month is the one of the request, which the id of the evaluation tells. */
export const evaluationClaimKey = (org: OrganizationId, month: string, evaluation: Id): Key =>
  keyIn(family(org, 'LOGGED', 'V', month), evaluation);
/** The first two digits of the digest spread the claims of statements over 256 partitions. */
export const statementClaimKey = (org: OrganizationId, digest: string): Key =>
  keyIn(family(org, 'LOGGED', 'S', digest.slice(0, 2)), digest);

// Statements. The first digit of the id spreads them over 16 partitions, which an export reads one after the other.

export const statementPartition = (org: OrganizationId, digit: string): PartitionKey => family(org, 'STATEMENT', digit);
export const statementKey = (org: OrganizationId, id: Id): Key => keyIn(statementPartition(org, id.slice(0, 1)), id);
/** Reads the organization from the partition of {@link statementKey}. Returns null for every other partition. */
export const readStatementPartition = (pk: PartitionKey): OrganizationId | null => {
  const [org = '', name] = pk.split('#');
  return name === 'STATEMENT' ? storedId(org) : null;
};
