import type { OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Key, PartitionKey } from './items.ts';

/**
 * The parts that all keys of the table share. Each room has its own keys beside its records. Every key of an
 * organization starts with the immutable id of the organization and the record family, both in the partition key. The
 * directory is the only exception; its prefixes cannot be the start of an id (rules/storage.md#keys).
 * No accepted name contains `#`, so joined parts stay distinguishable (rules/requests.md#names).
 */

/** Pads a number so that text order in a sort key is number order. */
export const sequence = (n: number): string => n.toString().padStart(10, '0');

/**
 * Returns a partition key of an organization: its id, the record family, and what distinguishes partitions of the
 * family.
 */
export const family = (org: OrganizationId, name: string, ...rest: string[]): PartitionKey =>
  partition(org, name, ...rest);

/** Returns a partition key of the directory, which is read before an organization is known. */
export const directory = (name: `@${string}`, ...rest: string[]): PartitionKey => partition(name, ...rest);

/** Returns the key of one item in a partition. */
export const keyIn = (pk: PartitionKey, sk: string): Key => storedKey(pk, sk);

/** Returns the key of an item that the table or its stream brought: this service wrote both texts there. */
// A brand exists for the compiler alone, so no check could find it. Every key gets its brands here.
export const storedKey = (pk: string, sk: string): Key => ({ pk, sk }) as Key;

const partition = (...parts: string[]): PartitionKey => storedKey(parts.join('#'), '').pk;

export const idempotencyKey = (org: OrganizationId, principal: PrincipalId, digest: string): Key =>
  keyIn(family(org, 'IDEMPOTENCY', principal), digest);

/** What all containers together admitted of an organization, a key or a session. @param id of any of them */
export const limitKey = (id: string): Key => keyIn(directory('@LIMIT', id), 'ADMITTED');

/** The items about the table itself lie in one partition. */
export const tableStateKey = (): Key => keyIn(directory('@STATE'), 'STATE');
export const migrationKey = (): Key => keyIn(directory('@STATE'), 'MIGRATION');
/** The import of an organization that is not finished, by the name of the organization. */
export const importKey = (name: string): Key => keyIn(directory('@STATE'), `IMPORT#${name}`);

/** How far a restore has come (deploying.md#restore). @param table name of the restored table: a later restore of it copies the item */
export const restoreKey = (table: string): Key => keyIn(directory('@STATE'), `RESTORE#${table}`);
/** What a step of a restore noted. */
export const restoreNoteKey = (table: string, step: string, name: string): Key =>
  keyIn(directory('@STATE'), `RESTORED#${table}#${step}#${name}`);

const MICROS_DIGITS = 17;
/** Pads an instant so that text order in a sort key is time order. */
export const instantSequence = (at: Micros): string => at.toString().padStart(MICROS_DIGITS, '0');
