import { type Id, type OrganizationId, storedId } from '#shared/base/ids.ts';
import type { StreamItem } from '#shared/table/stream-item.ts';
import { watchList } from './records/keys.ts';
import { Watch } from './rules/watch.ts';

/** A watch that was just made, and that has to ask the whole index. */
export interface NewWatch {
  org: OrganizationId;
  watch: Id;
  name: string;
}

/** Reads a new watch from the stream; null for other items, and for changes of a watch. @throws ZodError if it cannot be read */
export function readNewWatch(streamed: StreamItem): NewWatch | null {
  const [id = ''] = streamed.pk.split('#');
  const org = storedId<OrganizationId>(id);
  if (streamed.pk !== watchList(org)) return null;
  const { id: watch, name, rev } = Watch.parse(streamed.item);
  return rev === 1 ? { org, watch, name } : null;
}
