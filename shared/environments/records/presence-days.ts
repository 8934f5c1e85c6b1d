import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import type { Item, Range, Table } from '#shared/table/table.ts';
import { PresenceDay } from '../rules/reports/presence-day.ts';
import { presenceKey, presencePartition } from './keys.ts';

/** Dates such as `2026-11-21`, both included. */
interface Dates {
  from: string;
  to: string;
}

/** Reads the presence of the closed days of an environment by date. Days without a report have none. */
export const readPresence = async (
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  dates: Dates,
): Promise<Map<string, PresenceDay>> => byDate(await table.query(rangeOf(org, environment, dates)));

/** As {@link readPresence} for several environments, in their order, with one call per 50 of them. */
export const readPresenceOf = async (
  table: Table,
  org: OrganizationId,
  environments: readonly EnvironmentId[],
  dates: Dates,
): Promise<Map<string, PresenceDay>[]> =>
  (await table.queryEach(environments.map((environment) => rangeOf(org, environment, dates)))).map(byDate);

/** Reads the presence of the first closed day after a date; undefined if there is none. */
export async function readPresenceAfter(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  date: string,
): Promise<PresenceDay | undefined> {
  // The zero makes the smallest sort key behind the date.
  const range = { pk: presencePartition(org, environment), from: `${date}\0`, limit: 1 };
  return [...byDate(await table.query(range)).values()][0];
}

function rangeOf(org: OrganizationId, environment: EnvironmentId, { from, to }: Dates): Range {
  const { pk, sk } = presenceKey(org, environment, from);
  return { pk, from: sk, to };
}

const byDate = (items: readonly Item[]): Map<string, PresenceDay> =>
  new Map(items.map((item) => [item.sk, PresenceDay.parse(item)]));
