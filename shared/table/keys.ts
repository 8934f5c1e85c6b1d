import type { OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Key } from './table.ts';

/**
 * Every key of the single table, one function per access pattern; `access-patterns.ts` says which question each one
 * answers. All keys of an organization begin with its immutable id and the record family, both in the partition key
 * (design §2.11); the directory is the one exception, under prefixes that no id can begin with.
 * No accepted name contains `#` (semantics §1.2), so joined parts cannot run into each other.
 */

/** Pads a number of a series so that text order in a sort key is number order. */
export const sequence = (n: number): string => n.toString().padStart(10, '0');

/** A partition key of an organization: its id, the record family, what tells partitions of the family apart. */
export const family = (org: OrganizationId, name: string, ...rest: string[]): string => [org, name, ...rest].join('#');

export const idempotencyKey = (org: OrganizationId, principal: PrincipalId, digest: string): Key => ({
  pk: family(org, 'IDEMPOTENCY', principal),
  sk: digest,
});

/** Keys of environments, of their snapshots and of what runs in them; `environment-patterns.ts` says what they answer. */

const MICROS_DIGITS = 17;
/** Pads an instant so that text order in a sort key is order in time. */
export const instantSequence = (at: Micros): string => at.toString().padStart(MICROS_DIGITS, '0');
