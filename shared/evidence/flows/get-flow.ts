import type { FlowId } from '#shared/base/ids.ts';
import type { FlowName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { type Flow, readFlowByName } from '../records/flows.ts';
import { readBesideFlow } from '../records/trails.ts';
import { unknownFlow } from '../rules/sentences.ts';

export type { Flow };

/**
 * Reads a flow by its present, former or archived name (rules/flows.md#get-a-flow).
 *
 * @throws ServiceError `not-found`
 */
export async function getFlow(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  name: FlowName,
): Promise<Flow> {
  const flow = await readFlowByName(table, objects, org.id, name);
  if (!flow) throw unknownFlow({ flow: name, org: org.name });
  return flow;
}

/**
 * Runs a read for the flow that has a name, in parallel with the read of the flow; for all flows if there is no name.
 *
 * @throws ServiceError `not-found`
 */
export async function readOfFlow<T>(
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  name: FlowName | undefined,
  read: (flow: FlowId | undefined) => Promise<T>,
): Promise<T> {
  if (name === undefined) return read(undefined);
  const { flow, beside } = await readBesideFlow(table, org.id, name, read);
  if (!flow) throw unknownFlow({ flow: name, org: org.name });
  return beside;
}
