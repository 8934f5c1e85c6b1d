import { absolute } from '#shared/base/addresses.ts';
import { type EnvironmentId, idAt } from '#shared/base/ids.ts';
import { durationText } from '#shared/base/texts/durations.ts';
import { latestOf, type Micros } from '#shared/base/time.ts';
import { ENVIRONMENT_EVENTS } from '#shared/environments/rules/transitions.ts';
import type { Notice } from '#shared/notifications/rules/records.ts';
import type { Expectation } from '../expectation.ts';
import type { Gap, GapSubject } from './gap.ts';
import { shownSubject } from './shown-subject.ts';

/** What is sent about gaps (rules/notifications.md#gap-events). */

/** An event that a gap fires. */
interface GapEvent {
  trigger: 'ON_EXPECTATION_MISSED' | 'ON_EXPECTATION_MET_AGAIN';
  /** The same however often the gap is read. */
  at: Micros;
  environment: { id: EnvironmentId; name: string };
}

/**
 * Returns what a gap has fired so far: one event when it was found, one when something came. It follows from the gap alone, so
 * a gap that is read again fires the same events. Unknown gaps fire nothing, and so do gaps that are about no environment.
 */
export function gapEvents(gap: Gap): GapEvent[] {
  const environment = environmentOf(gap.subject);
  if (!environment || gap.state === 'unknown') return [];
  const missed: GapEvent = { trigger: 'ON_EXPECTATION_MISSED', at: gap.detectedAt, environment };
  if (gap.until === null || gap.ended !== 'arrived') return [missed];
  // A look can find a gap that has ended. Nobody is told of the end before the beginning.
  const at = latestOf(gap.until, gap.detectedAt);
  return [missed, { trigger: 'ON_EXPECTATION_MET_AGAIN', at, environment }];
}

/** Returns the environment whose notifications are told of a subject; null if there is none. */
function environmentOf(subject: GapSubject): GapEvent['environment'] | null {
  if (subject.type === 'environment') return subject;
  return subject.type === 'artifact' ? subject.environment : null;
}

/** What did not come, by kind. */
const MISSING: Readonly<Record<Expectation['kind'], string>> = {
  reports: 'no report',
  evidence: 'no evidence',
  activity: 'no trail',
  completion: 'no compliant state',
  decision: 'no decision',
};

/**
 * Makes the notice of an event of a gap.
 *
 * @param gap with present names
 * @param org name of the organization
 */
export function gapNotice(gap: Gap, { trigger, at, environment }: GapEvent, org: string): Notice {
  const { id, expectation, kind, severity, owner, subject, from, until } = gap;
  const isEnd = trigger === 'ON_EXPECTATION_MET_AGAIN' && until !== null;
  const about = `'${expectation.name}'`;
  const where = `environment '${environment.name}'`;
  return {
    event: idAt(at, `${id}/${trigger}`),
    at,
    trigger,
    eventType: ENVIRONMENT_EVENTS[trigger],
    org,
    environment: environment.name,
    description: isEnd
      ? `Expectation ${about} is met again in ${where}, after a gap of ${durationText(until - from)}`
      : `Expectation ${about} is missed in ${where}: ${MISSING[kind]} for more than ${durationText(gap.every)}`,
    htmlPath: absolute('', `/${org}/gaps/${id}`),
    apiPath: absolute('', `/api/v2/gaps/${org}/${id}`),
    gap: {
      id,
      expectation: expectation.name,
      kind,
      severity,
      ...(owner !== null && { owner }),
      subject: { ...shownSubject(subject) },
      from,
      ...(isEnd && { until }),
    },
  };
}
