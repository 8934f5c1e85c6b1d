import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { RelayServices } from '#functions/relay/services.ts';
import { errorFacts } from '#shared/base/error-facts.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { messageLog } from '#shared/base/log-lines.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { type Duration, plus, secondsOf } from '#shared/base/time.ts';
import { sweepSnapshots } from '#shared/environments/sweeps/sweep-snapshots.ts';
import { lookForGaps } from '#shared/expectations/gaps/sweep-gaps.ts';
import { sendMissingEntries } from '#shared/log/sweeps/missing-entries.ts';
import { sweepChains } from '#shared/log/sweeps/sweep-chains.ts';
import { readOrganizationIds } from '#shared/organizations/list-organizations.ts';
import { VISITS_QUEUE } from '#shared/queues/queue-definition.ts';
import { DONE_AFTER, sweepDueSeries } from '#shared/series/sweep-series.ts';
import { beginVisit, endVisit, readActive, removeActive } from '#shared/sweeps/active-organizations.ts';
import { SweepParts } from '#shared/sweeps/sweep-parts.ts';
import { VisitMessage, visitMessage } from '#shared/sweeps/visit-message.ts';
import { continueWalk } from '#shared/sweeps/walk-organizations.ts';
import { sweepWatches } from '#shared/watches/asking/sweep-watches.ts';
import { type RelayContext, type RelayOptions, relayContext, seriesContext } from '../relay.ts';
import { sweepEvents } from './sweep-events.ts';

/** Visits of one call at the same time. */
const WIDTH = 5;
/** A visit belongs to its call for as long as a call can last. */
const LEASE: Duration = VISITS_QUEUE.timeout * 1_000_000;

/**
 * Sends a message for each organization in which something happened, so that its effects that the stream did not bring are made up for
 * (`rules/storage.md#visits-of-organizations`). Writes a line with the age of the oldest complete visit, which an alarm reads.
 *
 * @returns how many messages were sent
 * @throws AggregateError if the walk over all organizations failed, after the messages were sent
 */
export async function askForVisits(services: RelayServices, options: RelayOptions = {}): Promise<number> {
  const { log, isTime } = relayContext(services, options, 'sweep');
  const walk = new SweepParts(log, isTime);
  await walk.attempt({}, () => continueWalk(services.table, readOrganizationIds, services.clock.now()));
  const now = services.clock.now();
  const active = await readActive(services.table);
  await services.visits.send(active.map(({ org }) => visitMessage(org, now)));
  const oldest = Math.min(now, ...active.map(({ provedAt }) => provedAt));
  const { lines, wallClock } = options;
  messageLog('relay', lines, wallClock)(
    'INFO',
    'Asked for visits of organizations',
    { messageId: 'sweep' },
    { organizations: active.length, oldest_seconds: Math.round(secondsOf(now - oldest)) },
  );
  if (walk.failures.length > 0) throw new AggregateError(walk.failures, 'The walk over all organizations failed');
  return active.length;
}

/**
 * Makes the visits of a batch of messages. A visit that fails comes again, and does not stop the others.
 * @returns the messages that failed and that the queue delivers again
 */
export async function visitOrganizations(
  event: SQSEvent,
  services: RelayServices,
  options: RelayOptions = {},
): Promise<SQSBatchResponse> {
  const failed: string[] = [];
  await inParallel(event.Records, WIDTH, async (record) => {
    // Each visit gets its own time for milestones.
    const context = relayContext(services, options, record.messageId);
    try {
      if (!context.isTime()) throw new Error('The time of the call is over');
      await makeVisit(context, VisitMessage.parse(JSON.parse(record.body)));
    } catch (error) {
      context.log('A visit of an organization failed; its message comes again', {
        body: record.body,
        ...errorFacts(error),
      });
      failed.push(record.messageId);
    }
  });
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
}

/** @throws AggregateError if a part failed, after all other parts were swept */
async function makeVisit(context: RelayContext, { org, sent, work }: VisitMessage): Promise<void> {
  const { services, log, isTime } = context;
  const { table, clock, visits } = services;
  // What an interrupted look did not reach is found by the look that the next minute asks for.
  if (work === 'gaps') return void (await lookForGaps(services, org, { sent, lease: LEASE, isTime }));
  const now = clock.now();
  const active = await beginVisit(table, org, { sent, now, until: plus(now, LEASE) });
  if (!active) return;
  const parts = new SweepParts(log, isTime);
  const outcome = await sweepOrganization(context, parts, org);
  const isOver = outcome === 'done' && active.at <= now - DONE_AFTER;
  // An organization that was listed again meanwhile stays listed.
  const isRemoved = isOver && (await removeActive(table, active));
  if (!isRemoved) await endVisit(table, org, parts.isComplete && outcome !== 'more' ? now : null);
  if (parts.failures.length > 0) {
    throw new AggregateError(parts.failures, `${parts.failures.length} parts of a visit failed`);
  }
  if (outcome === 'more') await visits.send([visitMessage(org, clock.now())]);
}

/**
 * Visits an organization once.
 * @returns `more` if another visit would find more at once, `waiting` if a later sweep has to come back, `done` otherwise
 */
export async function sweepOrganization(
  context: RelayContext,
  parts: SweepParts,
  org: OrganizationId,
): Promise<'more' | 'waiting' | 'done'> {
  const facts = { organization: org };
  const [hasMore, isExpanded, isChecked] = await Promise.all([
    parts.attempt(facts, () => sweepEvents(context, parts, org)),
    parts.attempt(facts, () => sweepExpansions(context, parts, org)),
    parts.attempt(facts, () => sweepChains(context, org)),
    parts.attempt(facts, () => sweepWatches(context.services, org)),
  ]);
  // The sweep of events lists series whose months were missing, and an organization stays listed while one of its series is.
  const isSettled = await parts.attempt(facts, () => sweepDueSeries(seriesContext(context), parts, org));
  if (hasMore) return 'more';
  return isExpanded && isChecked && isSettled && parts.isComplete ? 'done' : 'waiting';
}

/** @returns whether no snapshot waits and no replay is under way */
async function sweepExpansions(context: RelayContext, parts: SweepParts, org: OrganizationId): Promise<boolean> {
  const { isDone, settledLately } = await sweepSnapshots(context, parts, org);
  const subjects = settledLately.map(({ id: environment, index: number }) => ({
    kind: 'environment' as const,
    environment,
    number,
  }));
  await sendMissingEntries(context, org, subjects);
  return isDone;
}
