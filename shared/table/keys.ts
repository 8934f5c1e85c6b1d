import type { OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Key } from './table.ts';

/**
 * The parts that all keys of the table share. Each room has its own keys beside its records. Every key of an
 * organization starts with the immutable id of the organization and the record family, both in the partition key. The
 * directory is the only exception; its prefixes cannot be the start of an id (rules/storage.md#keys).
 * No accepted name contains `#`, so joined parts stay distinguishable (rules/requests.md#names).
 */

/** Pads a number so that text order in a sort key is number order. */
export const sequence = (n: number): string => n.toString().padStart(10, '0');

/**
 * Returns a partition key: the id of the organization, the record family, and what distinguishes partitions of the
 * family.
 */
export const family = (org: OrganizationId, name: string, ...rest: string[]): string => [org, name, ...rest].join('#');

export const idempotencyKey = (org: OrganizationId, principal: PrincipalId, digest: string): Key => ({
  pk: family(org, 'IDEMPOTENCY', principal),
  sk: digest,
});

const MICROS_DIGITS = 17;
/** Pads an instant so that text order in a sort key is time order. */
export const instantSequence = (at: Micros): string => at.toString().padStart(MICROS_DIGITS, '0');
