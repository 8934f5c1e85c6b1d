import type { FlowId, OrganizationId } from '#shared/base/ids.ts';
import { erasedObjects } from '#shared/bodies/erased-bodies.ts';
import type { Erasure, ErasurePlan } from '#shared/bodies/erasure.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import type { Table } from '#shared/table/table.ts';
import { changeFacts, prepareFacts } from '../records/flow-writes.ts';
import { readFlowFacts } from '../records/flows.ts';

/**
 * Plans the erasure of a flow's description (rules/erasure.md#erased-flow). No chain commits to the facts of a flow, so
 * the other facts stay, in a new text with a new digest.
 */
export async function planFlow(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  flow: FlowId,
  erased: Erasure,
): Promise<ErasurePlan> {
  const what = `flow ${flow}`;
  const read = await readFlowFacts(table, objects, org, flow);
  if (!read || read.facts.description === '') return { what, writes: [], objects: [] };
  const rest = prepareFacts(objects, org, flow, { ...read.facts, description: '' });
  const { cover, writes } = changeFacts(org, flow, read.item, rest, erased);
  return {
    what,
    covers: [cover],
    upload: rest.upload,
    objects: erasedObjects([read.item.facts], `flow:${flow}`),
    writes,
  };
}
