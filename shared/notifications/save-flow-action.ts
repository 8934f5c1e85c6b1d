import type { FlowId } from '#shared/base/ids.ts';
import type { FlowName } from '#shared/base/names.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { retrying } from '#shared/base/retry.ts';
import { noErrors, refuseIfAny, shownInput } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import type { Table } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { type GivenAction, saveAction } from './change-action.ts';
import { findActionByName } from './records/actions.ts';

export const SAVE_FLOW_ACTION: Uses = {
  reads: ['ACTIONSECRET'],
  writes: ['ACTION', 'ACTIONS', 'ACTIONNAME', 'ACTIONSECRET', 'HEALTH', '@NOTIFIED', 'AUDIT'],
  removes: ['ACTIONNAME', 'HEALTH'],
};

const LOOK_UPS_AT_ONCE = 16;

interface GivenFlowAction extends Omit<GivenAction, 'flows' | 'environments'> {
  /** Names; empty = every flow. */
  flows: readonly FlowName[];
}

/**
 * Creates the flow action with this name, or replaces its content (rules/notifications.md#saving).
 *
 * @throws ServiceError `invalid` with a text for each name without a flow
 */
export async function saveFlowAction(
  stores: Pick<Stores, 'table' | 'clock'>,
  by: Author<number>,
  action: GivenFlowAction,
): Promise<number> {
  const { table } = stores;
  const { org } = by;
  const given = { ...action, flows: await flowsOrRefuse(table, org, action.flows), environments: [] };
  return retrying(async () => {
    const before = await findActionByName(table, org.id, 'flow', given.name);
    return saveAction(stores, by, { kind: 'flow', before, given });
  });
}

/**
 * Finds flows by their names or aliases (rules/notifications.md#flows-of-an-action).
 *
 * @returns the ids of the flows, each once
 * @throws ServiceError `invalid` with `errors.flows[n]` for each name without a flow
 */
async function flowsOrRefuse(table: Table, org: Organization, names: readonly FlowName[]): Promise<FlowId[]> {
  const errors = noErrors();
  const found = await inParallel(names.entries(), LOOK_UPS_AT_ONCE, async ([n, name]) => {
    const flow = await findFlow(table, org.id, name);
    if (!flow) errors[`flows[${n}]`] = unknownFlow({ flow: shownInput(name), org: org.name }).message;
    return flow?.id ?? [];
  });
  refuseIfAny(errors);
  return [...new Set(found.flat())];
}
