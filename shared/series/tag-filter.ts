import type { Id } from '#shared/base/ids.ts';
import { controlTagsKey } from '#shared/controls/records/keys.ts';
import { keyText, type Table } from '#shared/table/table.ts';
import { readTags } from './tag-items.ts';

/** Whether tags meet every filter: `key`, or `key:value` (wire environments §2.4, §13 row 13). Keys hold no colon. */
export const hasTags = (tags: Readonly<Record<string, string>>, filters: readonly string[]): boolean =>
  filters.every((filter) => {
    const colon = filter.indexOf(':');
    if (colon < 0) return Object.hasOwn(tags, filter);
    const key = filter.slice(0, colon);
    return Object.hasOwn(tags, key) && tags[key] === filter.slice(colon + 1);
  });

/** The tags of controls, by identifier. */
export async function readControlTags(
  table: Table,
  org: Id,
  identifiers: readonly string[],
): Promise<Map<string, Record<string, string>>> {
  const found = await table.getMany(identifiers.map((one) => controlTagsKey(org, one)));
  return new Map(identifiers.map((one) => [one, readTags(found.get(keyText(controlTagsKey(org, one))))]));
}
