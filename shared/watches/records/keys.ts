import type { Id, OrganizationId } from '#shared/base/ids.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { family, keyIn } from '#shared/table/keys.ts';

/** Keys of watches and their matches. `access-patterns.ts` lists the questions that they answer. */

/** The watches of an organization, by name. */
export const watchList = (org: OrganizationId): PartitionKey => family(org, 'WATCH');
export const watchKey = (org: OrganizationId, name: string): Key => keyIn(watchList(org), name);

/** What the watches of an organization matched, by watch. */
export const matchList = (org: OrganizationId): PartitionKey => family(org, 'WATCH', 'MATCHES');
/** The first part keeps matches apart from watches in exports: no name has a `#`. */
export const matchKey = (org: OrganizationId, id: string): Key => keyIn(matchList(org), `M#${id}`);

/** When the whole index was asked, by watch. */
export const askedList = (org: OrganizationId): PartitionKey => family(org, 'WATCH', 'ASKED');
export const askedKey = (org: OrganizationId, watch: Id): Key => keyIn(askedList(org), watch);
