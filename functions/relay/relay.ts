import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { RelayServices } from '#functions/relay/services.ts';
import { errorFacts } from '#shared/base/error-facts.ts';
import { type Log, type WorkerLog, workerLog } from '#shared/base/log-lines.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { within } from '#shared/base/time.ts';
import { expansionMessage } from '#shared/environments/expand-message.ts';
import { evaluationMessage } from '#shared/evaluations/evaluation-message.ts';
import { evaluationsOf } from '#shared/evaluations/explain-decisions.ts';
import { findRequests } from '#shared/evidence/events/requests-of-moments.ts';
import { updateActivities } from '#shared/evidence/events/update-activities.ts';
import { EVIDENCE_FACETS } from '#shared/evidence/rules/series-kinds.ts';
import { applyArrivals } from '#shared/expectations/apply-arrivals.ts';
import { deliverGaps } from '#shared/expectations/gaps/deliver-gaps.ts';
import { endAfterArrival } from '#shared/expectations/gaps/end-after-arrival.ts';
import { exportMessage } from '#shared/exports/export-message.ts';
import { sendLogEntries } from '#shared/log/log-message.ts';
import { deliverEvents } from '#shared/notifications/deliver.ts';
import { explainingOf } from '#shared/notifications/explain-moments.ts';
import { sendRequested } from '#shared/notifications/messages.ts';
import type { ReadEvaluationsOf } from '#shared/reasons/read-seen.ts';
import type { SeriesWork } from '#shared/series/series-context.ts';
import { updateSeries } from '#shared/series/update-series.ts';
import { listOrganizations } from '#shared/sweeps/active-organizations.ts';
import { isServiceFailure } from '#shared/sweeps/service-failure.ts';
import { setItemAside } from '#shared/sweeps/set-aside.ts';
import { type Image, keyAmong } from '#shared/table/stream-item.ts';
import { deliverMatches } from '#shared/watches/deliver-matches.ts';
import { logApplied, requestsIn } from './batch-line.ts';
import { type Effect, environmentEffects, forAll, forEach } from './environment-effects.ts';
import { containerMemory, type RelayMemory } from './memory.ts';
import { type Batch, organizationsOf, readBatch, requestsOf } from './stream/read-batch.ts';

/** How long, in milliseconds, one call of the relay appends milestones itself. The expander appends the others. */
export const SETTLE_MILLIS = 5_000;
/** Effects of one batch that are applied at the same time. */
const WIDTH = 8;
/** With fewer milliseconds left, no further part of a batch or of a sweep is started. */
const ENOUGH_MILLIS = 10_000;

export interface RelayOptions {
  memory?: RelayMemory;
  log?: WorkerLog;
  /** Gets the line about applied records. @default the standard output */
  lines?: Log;
  /** Returns the milliseconds that are left. */
  remainingMillis?: () => number;
  /** Returns the time in milliseconds, for the length of a call. */
  wallClock?: () => number;
}

/** Dependencies of effects. Each effect can be applied repeatedly without harm (`rules/storage.md#effects`). */
export interface RelayContext {
  services: RelayServices;
  memory: RelayMemory;
  log: WorkerLog;
  evaluationsOf: ReadEvaluationsOf;
  /** Whether there is time for another part of a batch or of a sweep. */
  isTime: () => boolean;
  /** Whether there is time to append another milestone. */
  isTimeToSettle: () => boolean;
}

/** Makes the dependencies. The time for milestones begins now. @param id names the call in log lines */
export function relayContext(
  services: RelayServices,
  { memory = containerMemory, log, remainingMillis, wallClock = Date.now }: RelayOptions,
  id: string,
): RelayContext {
  const isTime = () => (remainingMillis?.() ?? Number.POSITIVE_INFINITY) > ENOUGH_MILLIS;
  const isTimeToSettle = within(SETTLE_MILLIS, wallClock);
  return { services, memory, log: log ?? workerLog(id), evaluationsOf, isTime, isTimeToSettle };
}

/** Dependencies of the upkeep of series. The expander gets the work for which no time is left. */
export const seriesContext = ({ services, memory, log, isTimeToSettle }: RelayContext) => ({
  table: services.table,
  clock: services.clock,
  kinds: EVIDENCE_FACETS,
  memory: memory.series,
  log,
  isTime: isTimeToSettle,
  handOver: (work: SeriesWork) => services.expansions.send([expansionMessage(work)]),
});

/**
 * Applies the effects of a batch of the table's stream (`rules/storage.md#effects`): months and milestones of series
 * with new entries, the latest activity of flows and repositories, notifications, messages that endpoints asked for,
 * and effects of snapshots and evidence on environments. Each effect is conditional or writes the same each time, so
 * the stream may deliver a batch again.
 * @returns the first record from which on the stream has to deliver the batch again; no record if every record was
 *   handled or set aside
 * @throws Error if a failed record has no sequence number
 */
export async function relay(
  event: DynamoDBStreamEvent,
  services: RelayServices,
  options: RelayOptions = {},
): Promise<DynamoDBBatchResponse> {
  const call = event.Records[0]?.eventID ?? 'none';
  const context = relayContext(services, options, call);
  const failed = await applyRecords(context, event.Records);
  const { lines: log, wallClock = Date.now } = options;
  logApplied(call, event.Records.slice(0, failed ?? undefined), { log, wallClock });
  if (failed === null) return { batchItemFailures: [] };
  const first = event.Records[failed]?.dynamodb?.SequenceNumber;
  if (first === undefined) throw new Error('A failed record of the stream has no sequence number');
  return { batchItemFailures: [{ itemIdentifier: first }] };
}

/**
 * Applies the effects of records. A record that cannot be handled is set aside: it is found by halving the records
 * until it is alone, so that it loses no other record (`rules/storage.md#failed-records`).
 * @returns the position of the first record that the stream has to deliver again; null if there is none
 */
async function applyRecords(context: RelayContext, records: readonly DynamoDBRecord[]): Promise<number | null> {
  const { failures, unreadable } = await attemptEffects(context, records);
  const lasting = failures.find(({ error }) => !isServiceFailure(error));
  if (lasting && records.length > 1) return applyHalves(context, records);
  for (const { record, error } of lasting ? [lasting] : unreadable) {
    await setRecordAside(context, records[record], error);
  }
  return lasting ? null : firstOf(context, records, failures);
}

/** Applies the effects of records as far as they can be read. A failed effect does not stop the others. */
export async function attemptEffects(context: RelayContext, records: readonly DynamoDBRecord[]) {
  const batch = readBatch(records, await findRequestsOf(context, records));
  const failures: Failure[] = [];
  const attempt = async ({ record, run }: Effect) => {
    try {
      await run();
    } catch (error) {
      failures.push({ record, error });
    }
  };
  const { services, memory } = context;
  // The organizations are listed before any effect is applied. So the sweeps check an organization also if one of its records
  // ends the process (`rules/storage.md#visits-of-organizations`).
  await attempt({
    record: 0,
    run: () => listOrganizations(services.table, organizationsOf(batch), services.clock.now(), memory.listed),
  });
  await inParallel(effectsOf(context, batch), WIDTH, attempt);
  return { failures, unreadable: batch.unreadable };
}

/** Finds the requests that moments do not name. They are for log lines, so the effects do not wait until a busy table answers. */
async function findRequestsOf({ services, log }: RelayContext, records: readonly DynamoDBRecord[]) {
  try {
    // The types of the event and of the SDK describe the same attributes.
    const images = records.map(({ dynamodb }) => dynamodb?.NewImage as Image | undefined);
    return await findRequests(services.table, images);
  } catch (error) {
    if (!isServiceFailure(error)) throw error;
    log('The requests of moments could not be read; the lines about their effects do not name them', errorFacts(error));
    return new Map<number, string>();
  }
}

async function applyHalves(context: RelayContext, records: readonly DynamoDBRecord[]): Promise<number | null> {
  const middle = Math.ceil(records.length / 2);
  const first = await applyRecords(context, records.slice(0, middle));
  if (!context.isTime()) return first ?? middle;
  const second = await applyRecords(context, records.slice(middle));
  return first ?? (second === null ? null : middle + second);
}

interface Failure {
  /** Position in the batch of the record that the stream has to deliver again. */
  record: number;
  error: unknown;
}

/** Logs the effects that failed because of a service. @returns the first of their records; null if none failed */
function firstOf({ log }: RelayContext, records: readonly DynamoDBRecord[], failures: readonly Failure[]) {
  for (const { record, error } of failures) {
    log('An effect of a record of the stream failed; the record comes again', {
      event: records[record]?.eventID ?? null,
      requests: requestsIn(records.slice(record, record + 1)),
      ...errorFacts(error),
    });
  }
  return failures.length === 0 ? null : Math.min(...failures.map(({ record }) => record));
}

const setRecordAside = (context: RelayContext, record: DynamoDBRecord | undefined, error: unknown): Promise<void> => {
  const key = keyAmong(record?.dynamodb?.Keys ?? {});
  return setItemAside(context, key, record?.eventID ?? null, error);
};

const effectsOf = (context: RelayContext, batch: Batch): Effect[] => {
  const { services } = context;
  const { deliveries, evaluations, exports, sboms, watches } = batch;
  return [
    ...forEach(batch.series, (traffic) => updateSeries(seriesContext(context), traffic)),
    ...forEach(batch.events, ({ org, moments }) => updateActivities(services.table, org, moments)),
    ...forEach(batch.events, ({ org, moments }) => applyArrivals(services, org, moments)),
    ...forEach(batch.events, (news) => deliverEvents(services, news, explainingOf(context))),
    ...environmentEffects(context, batch.environments),
    ...forEach(batch.arrivals, (news) => endAfterArrival(services, news)),
    ...forEach(batch.gaps, ({ org, gaps }) => deliverGaps(services, org, gaps)),
    ...forEach(batch.matches, ({ org, matches }) => deliverMatches(services, org, matches)),
    ...forEach(batch.logs, (news) => sendLogEntries(services, news)),
    ...forAll(deliveries, () => sendRequested(services, deliveries)),
    ...forAll(evaluations, () =>
      services.evaluations.send(evaluations.map((one) => evaluationMessage(one.org, one.id, requestsOf([one])))),
    ),
    ...forAll(sboms, () =>
      services.expansions.send(
        sboms.map(({ org, attestation }) => expansionMessage({ work: 'components', org, attestation })),
      ),
    ),
    ...forAll(watches, () =>
      services.expansions.send(
        watches.map(({ org, watch, name }) => expansionMessage({ work: 'watch', org, watch, name })),
      ),
    ),
    ...forAll(exports, () =>
      services.exports.send(exports.map((one) => exportMessage(one.org, one.id, one.kind, requestsOf([one])))),
    ),
  ];
};
