import { type AttestationId, firstIdAt, type Id, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import { allInOrder } from '#shared/base/parallel.ts';
import { type Duration, EPOCH, earliestOf, type Micros, minus } from '#shared/base/time.ts';
import { noMarkNews } from '#shared/environments/effects-context.ts';
import { expansionMessage } from '#shared/environments/expand-message.ts';
import { raiseMissingMarks } from '#shared/environments/raise-marks.ts';
import { settledChanges } from '#shared/environments/sweeps/settled-changes.ts';
import { settledEvaluations } from '#shared/evaluations/settled-evaluations.ts';
import { seriesOf } from '#shared/evidence/events/series-of-events.ts';
import {
  EVENT_SERIES,
  type EventSeries,
  type SettledEvents,
  settledEvents,
} from '#shared/evidence/events/settled-events.ts';
import { findUnread } from '#shared/evidence/events/unread-attestations.ts';
import { updateActivities } from '#shared/evidence/events/update-activities.ts';
import { applyArrivals } from '#shared/expectations/apply-arrivals.ts';
import { settledGapDeliveries } from '#shared/expectations/gaps/deliver-gaps.ts';
import { sendMissingEntries } from '#shared/log/sweeps/missing-entries.ts';
import { createMissing, deliveriesOf } from '#shared/notifications/deliver.ts';
import { explainingOf, explainMoments } from '#shared/notifications/explain-moments.ts';
import { readNotifiedSince } from '#shared/notifications/notified-organizations.ts';
import { recordMissingMonths } from '#shared/series/facets.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { readPosition, savePosition } from '#shared/sweeps/positions.ts';
import { setItemAside } from '#shared/sweeps/set-aside.ts';
import type { SweepParts } from '#shared/sweeps/sweep-parts.ts';
import { settledMatchDeliveries } from '#shared/watches/deliver-matches.ts';
import type { RelayContext } from '../relay.ts';

/** Events of a series that are checked in one visit of an organization. */
const AT_ONCE = 100;
/** The position of a series without events is stored this often, because an old position means many months to read. */
const SILENT_FOR: Duration = 7 * 24 * 3600 * 1_000_000;
/** How far back a sweep reads where no position is stored: longer than the walk over all organizations takes. */
const LOOKED_BACK: Duration = 3 * 24 * 3600 * 1_000_000;

/**
 * Makes up for the effects of settled events that the stream did not bring (`rules/storage.md#lost-effects`):
 * deliveries, also those of gaps and of matches of watches, activity, arrivals of expectations, months of series, entries of the log, and marks of environments. Reads one portion of each time series of events,
 * of the audit log and of evaluations, from the stored position on. Also sends attestations whose SBOMs the expander has not read.
 * @returns whether more events may have settled
 */
export async function sweepEvents(context: RelayContext, parts: SweepParts, org: OrganizationId, atOnce = AT_ONCE) {
  const now = context.services.clock.now();
  const since = (await readNotifiedSince(context.services.table, org)) ?? now;
  const organization = { org, since: earliestOf(since, minus(now, LOOKED_BACK)) };
  const sweeps: [series: string, sweep: () => Promise<boolean>][] = [
    ...EVENT_SERIES.map((series): [string, () => Promise<boolean>] => [
      series,
      () => sweepSeries(context, organization, series, atOnce),
    ]),
    ['audit', () => sweepChanges(context, organization, atOnce)],
    ['evaluations', () => sweepEvaluationEntries(context, organization, atOnce)],
  ];
  // No sweep reads what another one writes.
  const swept = await Promise.all(sweeps.map(([series, sweep]) => parts.attempt({ organization: org, series }, sweep)));
  return swept.includes(true);
}

interface Swept {
  org: OrganizationId;
  since: Micros;
}

/** @returns whether more events may have settled */
async function sweepSeries(context: RelayContext, organization: Swept, series: EventSeries, atOnce: number) {
  const { services, log } = context;
  const { table, clock } = services;
  const { org } = organization;
  const from = await positionOf(context, organization, series);
  const events = await settledEvents(table, org, series, from, clock.now(), atOnce);
  const missing = await repeatEffects(context, org, series, events);
  if (missing > 0) {
    log('Events that the stream did not bring were relayed', { organization: org, series, missing });
  }
  for (const entry of events.orphans) log('An entry of a series has no event', { organization: org, series, entry });
  return savePositionOf(context, org, series, { from, ...events, count: events.entries.length });
}

/** @returns how many deliveries were missing */
async function repeatEffects(
  context: RelayContext,
  org: OrganizationId,
  series: EventSeries,
  { entries, moments, toRead, unreadable }: SettledEvents,
): Promise<number> {
  const { services, memory } = context;
  const { table, clock } = services;
  const now = clock.now();
  for (const { key, error } of unreadable) await setItemAside(context, key, null, error);
  const months = new Set(entries.map(({ id }) => monthOf(id)));
  // An entry can also be missing because the integrator is behind, so this raises no alarm.
  const subjects = moments.map(({ flow, trail, name, number }) => ({
    kind: 'trail' as const,
    flow,
    trail,
    name,
    number,
  }));
  const deliver = async () =>
    createMissing(services, org, await deliveriesOf(table, org, moments, now), (due) =>
      explainMoments(explainingOf(context), org, moments, due),
    );
  const [missing] = await allInOrder([
    deliver(),
    recordMissingMonths(table, org, seriesOf(series, moments), months, now, memory.series.months),
    updateActivities(table, org, moments),
    applyArrivals(services, org, moments),
    sendMissingEntries(context, org, subjects),
    raiseMissingMarks(context, { ...noMarkNews(org), moments }, EPOCH),
    sendUnread(context, org, toRead),
  ]);
  return missing;
}

/** Sends the attestations whose SBOMs were not read. One that the expander is just reading is read twice, which changes nothing. */
async function sendUnread(
  { services: { table, expansions } }: RelayContext,
  org: OrganizationId,
  toRead: readonly AttestationId[],
): Promise<void> {
  const unread = await findUnread(table, org, toRead);
  await expansions.send(unread.map((attestation) => expansionMessage({ work: 'components', org, attestation })));
}

/** @returns whether more changes may have settled */
async function sweepChanges(context: RelayContext, organization: Swept, atOnce: number): Promise<boolean> {
  const { services, log } = context;
  const { table, clock } = services;
  const { org } = organization;
  const from = await positionOf(context, organization, 'audit');
  const changes = await settledChanges(table, org, from, clock.now(), atOnce);
  const subjects = changes.entries.map((entry) => ({ kind: 'audit' as const, entry }));
  const tell = async () => {
    const due = await allInOrder([
      settledGapDeliveries(services, org, [...changes.gaps]),
      settledMatchDeliveries(services, org, changes.matches),
    ]);
    return createMissing(services, org, due.flat());
  };
  const [missing] = await allInOrder([
    tell(),
    raiseMissingMarks(context, { org, moments: [], ...changes }, changes.latest),
    sendMissingEntries(context, org, subjects),
    // Nothing stores whether the marks of a recall were raised. A mark that is raised twice costs an evaluation.
    services.expansions.send(
      changes.recalls.map(({ name, version }) => expansionMessage({ work: 'recall', org, name, version })),
    ),
  ]);
  if (missing > 0) {
    log('Events that the stream did not bring were relayed', { organization: org, series: 'audit', missing });
  }
  return savePositionOf(context, org, 'audit', { from, ...changes, count: changes.entries.length });
}

/** Sends entries of evaluations that the stream did not bring. @returns whether more evaluations may have settled */
async function sweepEvaluationEntries(context: RelayContext, organization: Swept, atOnce: number): Promise<boolean> {
  const { table, clock } = context.services;
  const { org } = organization;
  const from = await positionOf(context, organization, 'evaluations');
  const { evaluations, ...settled } = await settledEvaluations(table, org, from, clock.now(), atOnce);
  const subjects = evaluations.map((evaluation) => ({ kind: 'evaluation' as const, evaluation }));
  await sendMissingEntries(context, org, subjects);
  return savePositionOf(context, org, 'evaluations', { from, ...settled, count: evaluations.length });
}

/** Returns how far a list was checked, or the first id that the sweep has to check if no position is stored. */
const positionOf = async ({ services: { table } }: RelayContext, { org, since }: Swept, list: string): Promise<Id> =>
  (await readPosition(table, org, list)) ?? firstIdAt(since);

/** @returns whether the next visit has to continue behind `upTo` */
async function savePositionOf(
  { services: { table } }: RelayContext,
  org: OrganizationId,
  series: string,
  { from, upTo, more, count }: { from: string; upTo: string; more: boolean; count: number },
): Promise<boolean> {
  const isWriteDue = count > 0 || timeOfId(upTo) - timeOfId(from) >= SILENT_FOR;
  const isOurs = !isWriteDue || (await savePosition(table, org, series, from, upTo));
  // If another sweep or an operator has changed the position, this visit ends here and the next one continues there.
  return more && isOurs;
}
