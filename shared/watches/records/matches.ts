import type { OrganizationId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { lineOf } from '#shared/bodies/covered-lines.ts';
import { equal, onlyIf } from '#shared/table/expressions.ts';
import { type Item, keyText, putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { Match } from '../rules/match.ts';
import type { Watch } from '../rules/watch.ts';
import { matchKey, matchList, watchKey } from './keys.ts';

/** How exports show matches. */
export const SHOWN_MATCH = { item: 'match', schema: Match };

/** Reads matches by their ids, 100 with one call. Those that there are not are left out. */
export async function readMatches(table: Table, org: OrganizationId, ids: readonly string[]): Promise<Match[]> {
  const found = await table.getMany(ids.map((id) => matchKey(org, id)));
  return ids.flatMap((id) => {
    const item = found.get(keyText(matchKey(org, id)));
    return item ? [Match.parse(item)] : [];
  });
}

/** Reads the items of everything that a watch matched. */
export const readMatchItemsOf = (table: Table, org: OrganizationId, { id }: Pick<Watch, 'id'>): Promise<Item[]> =>
  table.query({ pk: matchList(org), prefix: `M#${id}#` });

/**
 * Returns the writes of a match, and what they leave behind (rules/organizations.md#covers). They are refused with `known` if the watch has a
 * match of this target, with `gone` if the watch was deleted.
 */
export function matchWrites(org: OrganizationId, match: Match): { writes: Write<'known' | 'gone'>[]; covers: Cover[] } {
  const { id, watch } = match;
  return {
    writes: [
      { check: watchKey(org, watch.name), ...onlyIf(equal({ id: watch.id })), refused: () => 'gone' },
      putIfAbsent({ ...matchKey(org, id), ...match }, () => 'known' as const),
    ],
    covers: [coverOf('watches/match', undefined, lineOf(SHOWN_MATCH, match))],
  };
}
