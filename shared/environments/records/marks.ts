import { type EnvironmentId, type FlowId, type OrganizationId, storedId } from '#shared/base/ids.ts';
import { change, exists } from '#shared/table/expressions.ts';
import type { Condition, Key, Table } from '#shared/table/table.ts';
import { environmentHeadKey, flowRunsPartition } from './keys.ts';

/** Marks make the next report evaluate again. Only the relay raises them (rules/environments.md#marks). */

/** The write that raises an environment's mark by one. */
export const markUpdate = (
  org: OrganizationId,
  environment: EnvironmentId,
): { update: Key; UpdateExpression: string } & Partial<Condition> => ({
  update: environmentHeadKey(org, environment),
  ...change({ add: { mark: 1 } }, exists()),
});

export async function raiseMark(table: Table, org: OrganizationId, environment: EnvironmentId): Promise<void> {
  const { update, ...expressions } = markUpdate(org, environment);
  await table.update(update, expressions);
}

/** Reads the ids of the environments in which anything of a flow ever ran. */
export async function environmentsOfFlow(table: Table, org: OrganizationId, flow: FlowId): Promise<EnvironmentId[]> {
  return (await table.query({ pk: flowRunsPartition(org, flow) })).map(({ sk }) => storedId(sk));
}
