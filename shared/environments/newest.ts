import type { Owner, Reading } from '#shared/evidence/flow-verdicts.ts';
import type { EnvironmentHead } from './records/environment-records.ts';
import { openContent, readSealedContent, type SealedContent } from './records/snapshots.ts';
import type { SnapshotContent } from './rules/content.ts';

type Newest = Pick<EnvironmentHead, 'id' | 'index'>;

/**
 * Reads where the content of the newest snapshot is stored; null if there is no snapshot.
 * @throws Error if the snapshot has no content, since one transaction writes both
 */
export async function readNewestSealed(
  { table }: Reading,
  org: Owner,
  { id, index }: Newest,
): Promise<SealedContent | null> {
  if (index === 0) return null;
  const sealed = await readSealedContent(table, org.id, id, index);
  if (!sealed) throw new Error(`Snapshot ${index} of environment ${id} has no content`);
  return sealed;
}

/** Reads the content of the newest snapshot; null if there is no snapshot, and if the content was erased. */
export async function readNewestContent(reading: Reading, org: Owner, head: Newest): Promise<SnapshotContent | null> {
  const sealed = await readNewestSealed(reading, org, head);
  return sealed && openContent(reading.objects, org.id, sealed);
}
