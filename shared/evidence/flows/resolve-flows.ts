import type { FlowId, OrganizationId } from '#shared/base/ids.ts';
import type { FlowName } from '#shared/base/names.ts';
import type { Table } from '#shared/table/table.ts';
import { findFlowHeads } from '../records/flows.ts';

/**
 * Returns the flows that a request names. Each flow is once in the result, whichever of its names the caller gave.
 *
 * @param refuse takes the place of each name that leads to no flow, or to an archived one, and a text for the caller
 */
export async function resolveFlows(
  table: Table,
  org: OrganizationId,
  names: readonly FlowName[],
  refuse: (place: number, text: string, name: FlowName) => void,
): Promise<{ id: FlowId; name: FlowName }[]> {
  const found = await findFlowHeads(table, org, names);
  const flows = new Map<FlowId, { id: FlowId; name: FlowName }>();
  for (const [i, name] of names.entries()) {
    const head = found.get(name);
    if (!head) refuse(i, 'There is no such flow', name);
    else if (head.archived !== null) refuse(i, 'The flow is archived', name);
    else flows.set(head.id, { id: head.id, name: head.name });
  }
  return [...flows.values()];
}
