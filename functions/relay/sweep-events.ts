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
  readNotifiedOrganizations,
  readSeriesProgress,
  saveSeriesProgress,
} from '#shared/notifications/records/relay-progress.ts';
import { settledEvents } from '#shared/notifications/records/settled-events.ts';
import type { DeliveryServices } from '#shared/notifications/services.ts';

/** Events of a series that are checked before the progress is stored. */
const AT_ONCE = 100;
/** Series that are swept at the same time. */
const WIDTH = 4;
/** The progress of a series without events is stored this often, because old progress means many months to read. */
const SILENT_FOR: Micros = 24 * 3600 * 1_000_000;

export interface EventSweepOptions {
  log: RelayLog;
  /** Returns the milliseconds that are left. The next sweep continues where this one ends. */
  remainingMillis?: () => number;
  /** Events that are checked before the progress is stored. */
  atOnce?: number;
}

/** With fewer milliseconds left, no further round is started. */
const ENOUGH_MILLIS = 10_000;

/**
 * Creates the missing deliveries of settled events, which the stream did not bring
 * (`rules/notifications.md#lost-events`). Reads each time series of events from the stored progress on. Each round
 * takes one portion of every series, so that an organization that is far behind does not delay the others.
 * @returns how many deliveries were missing
 * @throws AggregateError if a part failed, after all other parts were swept
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
    await inParallel(left, WIDTH, async (part) => {
      const facts = { organization: part.organization.org, series: part.series };
      try {
        const swept = await sweepPart(services, part.organization, part.series, options);
        missing += swept.missing;
        if (swept.more) behind.push(part);
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
  const from = await readSeriesProgress(table, organization, series);
  const { moments, upTo, more, orphans } = await settledEvents(table, org, series, from, clock.now(), atOnce);
  for (const entry of orphans) {
    log('An entry of a series has no event', { organization: org, series, entry });
  }
  const missing = await createMissing(services, org, await deliveriesOf(table, org, moments, clock.now()));
  const isWriteDue = moments.length > 0 || timeOfId(upTo) - timeOfId(from) >= SILENT_FOR;
  const isOurs = !isWriteDue || (await saveSeriesProgress(table, org, series, from, upTo));
  // If another sweep or an operator has changed the progress, this sweep ends here and the next one continues there.
  return { missing, more: more && isOurs };
}
