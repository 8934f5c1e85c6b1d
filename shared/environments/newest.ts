import type { StoredBody } from '#shared/bodies/bodies.ts';
import type { Owner, Reading } from '#shared/evidence/flow-verdicts.ts';
import type { EnvironmentHead } from './records/environment-records.ts';
import { openContent, readContentBody } from './records/snapshots.ts';
import type { SnapshotContent } from './rules/content.ts';

type Newest = Pick<EnvironmentHead, 'id' | 'index'>;

/**
 * Where the content of the newest snapshot lies that a head names; null before the first.
 * @throws Error where a snapshot has none: the head and the content are written together
 */
export async function readNewestBody(
  { table }: Reading,
  org: Owner,
  { id, index }: Newest,
): Promise<StoredBody | null> {
  if (index === 0) return null;
  const body = await readContentBody(table, org.id, id, index);
  if (!body) throw new Error(`Snapshot ${index} of environment ${id} has no content`);
  return body;
}

/** The content itself; null before the first, and where it was erased, so that nobody can tell any more what ran. */
export async function readNewestContent(reading: Reading, org: Owner, head: Newest): Promise<SnapshotContent | null> {
  const body = await readNewestBody(reading, org, head);
  return body && openContent(reading.objects, org.id, body);
}
