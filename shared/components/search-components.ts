import type { OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { searchPackages } from './records/postings.ts';

/** Finds packages by the begin of their names, in the order of the names (rules/components.md#builds). */
export const searchComponents = (
  { table }: Pick<Stores, 'table'>,
  org: OrganizationId,
  text: string,
  page: { after: string | undefined; limit: number },
) => searchPackages(table, org, text, page);
