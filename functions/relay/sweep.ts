import * as z from 'zod';
import { errorFacts } from '#shared/base/error-facts.ts';
import { type OrganizationId, storedId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Micros } from '#shared/base/time.ts';
import { relayLog } from '#shared/http/relay-log.ts';
import type { Services } from '#shared/http/services.ts';
import { organizationList } from '#shared/organizations/records/keys.ts';
import { settleSeries } from '#shared/series/facets.ts';
import { dueSeriesKey, dueSeriesList } from '#shared/series/keys.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import type { Item } from '#shared/table/table.ts';
import { type Relay, writePostponedActivities } from './effects.ts';
import { containerMemory, WRITTEN_EVERY } from './memory.ts';
import type { RelayOptions } from './relay.ts';

const DueSeries = z.object({ sk: z.string(), at: z.number() });

/**
 * After this time without new entries, a series needs no sweep any more. The relay lists a series with new entries once
 * a minute, so the last entry can be up to a minute later than the listed time, and then it has to settle. The factor 2
 * is a margin.
 */
const DONE_AFTER: Micros = 2 * (SETTLING_MICROS + WRITTEN_EVERY);

/** Organizations that are swept at the same time, and series of one organization. */
const WIDTH = 4;

/**
 * Finishes the work that no further stream record would start: milestones of series whose last entries had not settled
 * when they arrived, and postponed activities (`rules/lists.md#settling`). An error in one organization does not stop
 * the others.
 * @throws AggregateError if a part failed, after all other parts were swept
 */
export async function sweep(
  services: Pick<Services, 'table' | 'clock'>,
  { memory = containerMemory, log = relayLog('sweep') }: RelayOptions = {},
): Promise<void> {
  const context: Relay = { services, memory, log };
  const failures: unknown[] = [];
  const attempt = async (facts: Record<string, unknown>, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      failures.push(error);
      log('A part of a sweep failed; the next one tries again', { ...facts, ...errorFacts(error) });
    }
  };
  await attempt({}, () => writePostponedActivities(context));
  const listed = await services.table.query({ pk: organizationList });
  const organizations = listed.map(({ sk }) => storedId<OrganizationId>(sk));
  await inParallel(organizations, WIDTH, (org) =>
    attempt({ organization: org }, async () => {
      const due = await services.table.query({ pk: dueSeriesList(org) });
      await inParallel(due, WIDTH, (item) =>
        attempt({ organization: org, series: item.sk }, () => sweepSeries(context, org, item)),
      );
    }),
  );
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} parts of a sweep failed`);
}

async function sweepSeries({ services, memory }: Relay, org: OrganizationId, item: Item): Promise<void> {
  const { sk: series, at } = DueSeries.parse(item);
  const { table, clock } = services;
  const now = clock.now();
  if (at > now - SETTLING_MICROS) return;
  await settleSeries(table, org, series, now, memory.months);
  if (at > now - DONE_AFTER) return;
  await table.write({
    remove: dueSeriesKey(org, series),
    ConditionExpression: '#at = :at',
    ExpressionAttributeNames: { '#at': 'at' },
    ExpressionAttributeValues: { ':at': at },
    // New entries have arrived since the list was read, so the series stays listed.
    refused: () => 'listed again' as const,
  });
}
