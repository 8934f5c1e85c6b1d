import { type EnvironmentId, type FlowId, storedId } from '#shared/base/ids.ts';
import type { Author } from '#shared/callers/author.ts';
import { setControlArchived } from '#shared/controls/change-control.ts';
import { readControlHead } from '#shared/controls/records/controls.ts';
import { namedEnvironments } from '#shared/environments/records/environment-records.ts';
import { archiveEnvironment } from '#shared/environments/settings/archive-environment.ts';
import { archiveFlow } from '#shared/evidence/flows/archive-flow.ts';
import { readTypeHead } from '#shared/evidence/records/custom-types.ts';
import { readHead } from '#shared/evidence/records/flows.ts';
import { archiveType } from '#shared/evidence/types/archive-type.ts';
import { authorOf, bySubject, type EndEntry, endOf, type Restoring } from '../context.ts';

/** Archives flows, environments, controls and custom types that were archived after the instant. */
export async function endArchives(restoring: Restoring, entries: readonly EndEntry[]): Promise<void> {
  for (const { newest: entry } of bySubject(entries, ({ subject: { type, id } }) => `${type} ${id}`)) {
    const author = authorOf(restoring, entry);
    if (!author || entry.kind === 'control.unarchived') continue;
    const archive = await archivingOf(restoring, author, entry);
    if (archive) await restoring.report.apply(endOf(restoring, entry), archive);
  }
}

/** @returns what archives the subject; null if it is archived, or was made after the instant */
async function archivingOf(
  { stores, org }: Restoring,
  author: Author<unknown>,
  { kind, subject: { id, name } }: EndEntry,
): Promise<(() => Promise<void>) | null> {
  const { table } = stores;
  if (id === null) return null;
  if (kind === 'flow.archived') {
    const head = await readHead(table, org.id, storedId<FlowId>(id));
    return head?.archived === null ? () => archiveFlow(stores, author, head.name) : null;
  }
  if (kind === 'environment.archived') {
    const head = await namedEnvironments.readHead(table, org.id, storedId<EnvironmentId>(id));
    return head?.archived === null ? () => archiveEnvironment(stores, author, head.name) : null;
  }
  if (kind === 'control.archived') {
    const head = await readControlHead(table, org.id, name);
    if (head?.id !== id || head.archived) return null;
    return async () => void (await setControlArchived(stores, author, name, true));
  }
  const head = await readTypeHead(table, org.id, name);
  return head?.id === id && head.archived === null ? () => archiveType(stores, author, name) : null;
}
