import type { OrganizationId } from '#shared/base/ids.ts';
import { MINUTE } from '#shared/base/texts/durations.ts';
import { earliestOf, latestOf, type Micros, plus } from '#shared/base/time.ts';
import type { DeliveryServices } from '#shared/notifications/services.ts';
import { readUnknownTime } from '../records/beats.ts';
import { readExpectationItems } from '../records/expectations.ts';
import { beginLook, endLook, giveUpLook } from '../records/expecting-organizations.ts';
import { type Ongoing, readOngoing } from '../records/gaps.ts';
import { Expectation, MOST_EXPECTATIONS } from '../rules/expectation.ts';
import type { DueSoon } from '../rules/gaps/due-soon.ts';
import { lookAtBeginnings, type ReadBeginnings } from './look-at-beginnings.ts';
import { lookAtSubjects, type ReadWatch } from './look-at-subjects.ts';
import type { LookedAt, Looking, Places } from './looking.ts';
import { watchReporters } from './reporters.ts';
import { tellDueSoon } from './tell-due-soon.ts';
import { watchFlows } from './watch-flows.ts';
import { watchStarts } from './watch-starts.ts';
import { watchTrails } from './watch-trails.ts';
import type { Beginning } from './watched.ts';

/** The next sweep after a look does not look again. */
const SHORTEST_PAUSE = MINUTE / 2;

/** Looks at the subjects of some kinds of expectations. @param places how far an interrupted look got */
type LookAt = (
  looking: Looking,
  expectations: readonly Expectation[],
  ongoing: readonly Ongoing[],
  places: Places,
) => Promise<LookedAt>;

/** Kinds to whose subjects something comes again and again. */
const repeatedly =
  (read: ReadWatch): LookAt =>
  (looking, expectations, ongoing) =>
    lookAtSubjects(looking, expectations, ongoing, read);

/** Kinds whose subjects have to become something once. */
const once =
  <B extends Beginning>(read: ReadBeginnings<B>): LookAt =>
  (looking, expectations, ongoing, places) =>
    lookAtBeginnings(looking, expectations, ongoing, { read, places });

/** The kinds that a look reads together, and how it looks at their subjects. */
const GROUPS: Readonly<Record<string, { kinds: readonly Expectation['kind'][]; lookAt: LookAt }>> = {
  environments: { kinds: ['reports'], lookAt: repeatedly(watchReporters) },
  flows: { kinds: ['evidence', 'activity'], lookAt: repeatedly(watchFlows) },
  trails: { kinds: ['completion'], lookAt: once(watchTrails) },
  starts: { kinds: ['decision'], lookAt: once(watchStarts) },
};

/**
 * Looks for what is missing in an organization, if a look is due (rules/expectations.md#looks). Opens gaps, and ends those
 * whose end the relay did not see, and tells of what is due soon. An interrupted look is repeated from the same place, and every
 * step of it is harmless twice.
 *
 * @param sent when the message that asks for the look was sent
 * @param lease how long no other look begins, in microseconds
 * @param isTime whether there is time for another subject
 * @returns whether the look was complete; `none` if none was due
 */
export async function lookForGaps(
  services: DeliveryServices,
  org: OrganizationId,
  { sent, lease, isTime }: { sent: Micros; lease: number; isTime: () => boolean },
): Promise<'complete' | 'interrupted' | 'none'> {
  const { table, clock } = services;
  const now = clock.now();
  const expecting = await beginLook(table, org, { sent, now, until: plus(now, lease) });
  if (!expecting) return 'none';
  const [items, ongoing, unknown] = await Promise.all([
    readExpectationItems(table, org, { limit: MOST_EXPECTATIONS }),
    readOngoing(table, org),
    readUnknownTime(table, now),
  ]);
  const expectations = items.flatMap((item) => Expectation.safeParse(item).data ?? []);
  const tell = (subjects: readonly DueSoon[]) => tellDueSoon(services, org, subjects);
  const looking: Looking = { table, org, look: { now, lookedAt: expecting.lookedAt, unknown }, isTime, tell };
  const due: Record<string, Micros> = {};
  for (const [group, { kinds, lookAt }] of Object.entries(GROUPS)) {
    const next = expecting.due[group];
    // The look before found that none of these subjects can become overdue until then.
    if (next !== undefined && next > now) {
      due[group] = next;
      continue;
    }
    const looked = await lookAt(
      looking,
      expectations.filter(({ kind }) => kinds.includes(kind)),
      ongoing.filter(({ of }) => kinds.includes(of)),
      expecting.places,
    );
    if (looked.again === 'interrupted') {
      await giveUpLook(table, org, { ...expecting.places, ...looked.places });
      return 'interrupted';
    }
    if (looked.again !== null) due[group] = latestOf(looked.again, plus(now, SHORTEST_PAUSE));
  }
  const times = Object.values(due);
  await endLook(table, expecting, { lookedAt: now, due, nextAt: times.length === 0 ? null : earliestOf(...times) });
  return 'complete';
}
