import type { Id, OrganizationId } from '#shared/base/ids.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { family, keyIn } from '#shared/table/keys.ts';

/** The drafts of an organization that can be confirmed, without what they would write. Ids sort by time. */
export const openDraftList = (org: OrganizationId): PartitionKey => family(org, 'DRAFT');
export const openDraftKey = (org: OrganizationId, id: Id): Key => keyIn(openDraftList(org), id);
/** A draft with the request that it would make. */
export const draftKey = (org: OrganizationId, id: Id): Key => keyIn(family(org, 'DRAFT', 'WHOLE'), id);
