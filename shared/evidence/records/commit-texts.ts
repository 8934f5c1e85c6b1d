import type { OrganizationId } from '#shared/base/ids.ts';
import type { FlowName, TrailName } from '#shared/base/names.ts';
import { type PreparedBody, prepareBody, sha256Hex } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import type { PartitionKey } from '#shared/table/items.ts';
import type { Write } from '#shared/table/table.ts';
import { trailCommitKey } from './keys.ts';

/** A commit for the trail's list of events. The trail stores each distinct text once (rules/trails.md#commits). */
export interface PreparedCommit {
  digest: string;
  body: PreparedBody;
}

/**
 * @param target names of flow and trail; each trail is a user of its own, because trails of one commit would otherwise
 *   write the same item
 * @param text JSON text of the commit
 */
export function prepareCommit(
  objects: Objects,
  org: OrganizationId,
  { flow, trail }: { flow: FlowName; trail: TrailName },
  text: string,
): PreparedCommit {
  const digest = sha256Hex(text).slice(0, 32);
  return { digest, body: prepareBody(objects, org, text, `commit:${flow}:${trail}:${digest}`) };
}

/** Returns the writes that store the text of a commit in the partition of its trail. */
export const commitWrites = (partition: PartitionKey, { digest, body }: PreparedCommit): Write[] => [
  { put: { ...trailCommitKey(partition, digest), v: 1, body: body.body } },
  ...body.writes,
];
