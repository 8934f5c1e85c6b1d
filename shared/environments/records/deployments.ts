import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Table } from '#shared/table/table.ts';
import { type Deployments, DeploymentsItem, dayOf } from './expanded.ts';
import { deploymentsKey, deploymentsPartition } from './keys.ts';

/** Reads how much started in an environment, by day (`20261121`), from the day of `from` to the day of `to`, both included. */
export async function readDeployments(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  { from, to }: { from: Micros; to: Micros },
): Promise<Map<string, Deployments>> {
  const day = (at: Micros) => deploymentsKey(org, environment, dayOf(at)).sk;
  const items = await table.query({ pk: deploymentsPartition(org, environment), from: day(from), to: day(to) });
  return new Map(items.map((item) => [item.sk, DeploymentsItem.parse(item)]));
}
