import type { OrganizationId } from '#shared/base/ids.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { family, keyIn, sequence } from '#shared/table/keys.ts';

/** Keys of expectations. `access-patterns.ts` lists the questions that they answer. */

/** The expectations of an organization, by name. */
export const expectationList = (org: OrganizationId): PartitionKey => family(org, 'EXPECTATION');
export const expectationKey = (org: OrganizationId, name: string): Key => keyIn(expectationList(org), name);

/** All versions of the expectations of an organization. */
export const expectationVersions = (org: OrganizationId): PartitionKey => family(org, 'EXPECTATION', 'VERSIONS');
/** The first part keeps versions apart from expectations in exports: no name has a `#`. */
export const expectationVersionKey = (org: OrganizationId, name: string, version: number): Key =>
  keyIn(expectationVersions(org), `V#${name}#${sequence(version)}`);
