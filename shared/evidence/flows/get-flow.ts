import type { FlowName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { type Flow, readFlowByName } from '../records/flows.ts';
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
