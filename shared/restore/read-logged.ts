import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Reading } from '#shared/bodies/stores.ts';
import { readHead } from '#shared/log/records/log-state.ts';
import { parseEntry } from '#shared/log/rules/entry.ts';
import { logTiles } from '#shared/log/tiles.ts';
import { auditKey } from '#shared/organizations/records/keys.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { keyText } from '#shared/table/table.ts';
import { TILE_WIDTH, tileWidth } from '#shared/tlog/tiles.ts';

/** A change that the log has an entry of. The entry says neither what was changed nor by whom. */
interface LoggedChange {
  id: string;
  kind: string;
  at: Micros;
}

/**
 * Reads the audit entries of a log since an instant, the newest first, as far as the restored table has no record of them. After
 * `recover-log` the log of the restored table has everything that the bucket has.
 */
export async function readLoggedChanges(
  { table, objects }: Reading,
  org: OrganizationId,
  since: Micros,
): Promise<LoggedChange[]> {
  const size = (await readHead(table, org))?.range.size ?? 0;
  const tiles = logTiles({ table, objects }, org, size);
  const found: LoggedChange[] = [];
  for (let index = Math.ceil(size / TILE_WIDTH) - 1; index >= 0; index -= 1) {
    const bundle = await tiles.entries(index, tileWidth(size, 'entries', index));
    const links = bundle.map(parseEntry).flatMap((entry) => (entry.kind === 'link' ? [entry] : []));
    const newer = links.filter(({ header }) => header.at >= since);
    // Entries follow each other roughly in time, so a bundle without a newer entry ends the search.
    if (newer.length === 0 && links.length > 0) break;
    for (const { subject, header } of newer) {
      if (subject.kind === 'audit') found.push({ id: subject.entry, kind: header.kind, at: header.at });
    }
  }
  const stored = await table.getMany(found.map(({ id }) => auditKey(org, monthOf(id), id)));
  return found.filter(({ id }) => !stored.has(keyText(auditKey(org, monthOf(id), id))));
}
