import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Item, Range, Table } from '#shared/table/table.ts';
import { DeploymentCounts, dayOf } from '../rules/effects.ts';
import { deploymentsKey, deploymentsPartition } from './keys.ts';

/** Reads how much started in an environment, by day (`20261121`), from the day of `from` to the day of `to`, both included. */
export async function readDeployments(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  period: { from: Micros; to: Micros },
): Promise<Map<string, DeploymentCounts>> {
  return byDay(await table.query(daysRange(org, environment, period)));
}

/** As {@link readDeployments} for several environments, in their order, with one call per 50 of them. */
export async function readDeploymentsOf(
  table: Table,
  org: OrganizationId,
  environments: readonly EnvironmentId[],
  period: { from: Micros; to: Micros },
): Promise<Map<string, DeploymentCounts>[]> {
  const found = await table.queryEach(environments.map((environment) => daysRange(org, environment, period)));
  return found.map(byDay);
}

function daysRange(org: OrganizationId, environment: EnvironmentId, { from, to }: { from: Micros; to: Micros }): Range {
  const day = (at: Micros) => deploymentsKey(org, environment, dayOf(at)).sk;
  return { pk: deploymentsPartition(org, environment), from: day(from), to: day(to) };
}

const byDay = (items: readonly Item[]): Map<string, DeploymentCounts> =>
  new Map(items.map((item) => [item.sk, DeploymentCounts.parse(item)]));
