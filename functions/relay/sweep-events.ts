import { errorFacts } from '#shared/base/error-facts.ts';
import { timeOfId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Micros } from '#shared/base/time.ts';
import type { RelayLog } from '#shared/http/relay-log.ts';
import { createMissing, deliveriesOf } from '#shared/notifications/deliver.ts';
import {
  EVENT_SERIES,
  type EventSeries,
  type NotifiedOrganization,
  noteRelayed,
  readNotifiedOrganizations,
  readRelayed,
  settledEvents,
} from '#shared/notifications/records/relayed.ts';
import type { DeliveryServices } from '#shared/notifications/services.ts';

/** Events of a series that are looked at before the place is noted. */
const AT_ONCE = 100;
/** Organizations that are swept at the same time. */
const WIDTH = 4;
/** A silent series is noted as relayed this often: a place that is long past means many months to look through. */
const SILENT_FOR: Micros = 24 * 3600 * 1_000_000;

export interface EventSweepOptions {
  log: RelayLog;
  /** Milliseconds that are left for it; what is left undone then is the next sweep's. */
  remainingMillis?: () => number;
  /** Events that are looked at before the place is noted. */
  atOnce?: number;
}

/** Below this many milliseconds nothing further is begun. */
const ENOUGH_MILLIS = 10_000;

/**
 * Tells targets of the settled events that the stream did not bring: walks the series that every event has an entry in
 * from where the last sweep came to, and makes the deliveries that are missing (design §2.7). Organizations take
 * turns, so that one that is far behind holds up no other.
 * @returns how many deliveries were missing
 * @throws AggregateError when a part failed, after everything else was done
 */
export async function sweepEvents(services: DeliveryServices, options: EventSweepOptions): Promise<number> {
  const { log, remainingMillis = () => Number.POSITIVE_INFINITY } = options;
  const failures: unknown[] = [];
  let missing = 0;
  let left = (await readNotifiedOrganizations(services.table)).flatMap((organization) =>
    EVENT_SERIES.map((series) => ({ organization, series })),
  );
  while (left.length > 0 && remainingMillis() > ENOUGH_MILLIS) {
    const behind: typeof left = [];
    await inParallel(left, WIDTH, async (place) => {
      const facts = { organization: place.organization.org, series: place.series };
      try {
        const swept = await sweepPart(services, place.organization, place.series, options);
        missing += swept.missing;
        if (swept.more) behind.push(place);
        if (swept.missing > 0) log('Events that the stream did not bring were relayed', { ...facts, ...swept });
      } catch (error) {
        failures.push(error);
        log('A part of a sweep for events failed; the next one tries again', { ...facts, ...errorFacts(error) });
      }
    });
    left = behind;
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} parts of a sweep for events failed`);
  return missing;
}

async function sweepPart(
  services: DeliveryServices,
  organization: NotifiedOrganization,
  series: EventSeries,
  { log, atOnce = AT_ONCE }: EventSweepOptions,
): Promise<{ missing: number; more: boolean }> {
  const { table, clock } = services;
  const { org } = organization;
  const from = await readRelayed(table, organization, series);
  const { moments, upTo, more, orphans } = await settledEvents(table, org, series, from, clock.now(), atOnce);
  for (const entry of orphans) {
    log('An entry of a series has no event', { organization: org, series, entry });
  }
  const missing = await createMissing(services, org, await deliveriesOf(table, org, moments, clock.now()));
  const isNews = moments.length > 0 || timeOfId(upTo) - timeOfId(from) >= SILENT_FOR;
  const noted = !isNews || (await noteRelayed(table, org, series, from, upTo));
  // Where the place was set meanwhile, by another sweep or an operator, whoever sweeps next goes on from there.
  return { missing, more: more && noted };
}
