import { absolute } from '#shared/base/addresses.ts';
import { idAt } from '#shared/base/ids.ts';
import { durationText } from '#shared/base/texts/durations.ts';
import { latestOf, type Micros } from '#shared/base/time.ts';
import { ENVIRONMENT_EVENTS } from '#shared/environments/rules/transitions.ts';
import type { Notice } from '#shared/notifications/rules/records.ts';
import type { EventSubject } from '#shared/notifications/rules/triggers.ts';
import type { Expectation, Scope } from '../expectation.ts';
import type { Gap, GapSubject } from './gap.ts';
import { shownSubject } from './shown-subject.ts';

/** What is sent about gaps (rules/notifications.md#gap-events). */

/** An event that a gap fires. */
interface GapEvent {
  trigger: 'ON_EXPECTATION_MISSED' | 'ON_EXPECTATION_MET_AGAIN';
  /** The same however often the gap is read. */
  at: Micros;
}

/**
 * Returns what a gap has fired so far: one event when it was found, one when something came. It follows from the gap alone, so
 * a gap that is read again fires the same events. A gap that was unknown from its beginning on fires nothing.
 */
export function gapEvents(gap: Pick<Gap, 'state' | 'wasOpen' | 'detectedAt' | 'until' | 'ended'>): GapEvent[] {
  if (gap.state === 'unknown' && !gap.wasOpen) return [];
  const missed: GapEvent = { trigger: 'ON_EXPECTATION_MISSED', at: gap.detectedAt };
  if (gap.until === null || gap.ended !== 'arrived') return [missed];
  // A look can find a gap that has ended. Nobody is told of the end before the beginning.
  return [missed, { trigger: 'ON_EXPECTATION_MET_AGAIN', at: latestOf(gap.until, gap.detectedAt) }];
}

/**
 * Returns where a subject is, for matching with actions (rules/notifications.md#gap-events).
 *
 * @param scope of the version of the expectation; only a whole scope needs it
 */
export function placeOfSubject(subject: GapSubject, scope: Scope | undefined): EventSubject {
  switch (subject.type) {
    case 'environment':
      return { environment: subject.id };
    case 'artifact':
      return { environment: subject.environment.id };
    case 'flow':
      return { flows: [subject.id] };
    case 'trail':
      return { flows: [subject.flow.id] };
    case 'scope':
      // Tags may have changed since, and a repeated call has to find the same actions.
      return { flows: scope && 'flows' in scope ? scope.flows.map(({ id }) => id) : [] };
  }
}

/** Returns the names in a message, and how a sentence names the subject. @param subject with present names */
export function namesOf(subject: GapSubject): { names: Pick<Notice, 'environment' | 'flow' | 'trail'>; where: string } {
  switch (subject.type) {
    case 'environment':
      return { names: { environment: subject.name }, where: `environment '${subject.name}'` };
    case 'artifact': {
      const { name: environment } = subject.environment;
      return { names: { environment }, where: `environment '${environment}'` };
    }
    case 'flow':
      return { names: { flow: subject.name }, where: `flow '${subject.name}'` };
    case 'trail': {
      const { flow, name: trail } = subject;
      return { names: { flow: flow.name, trail }, where: `trail '${trail}' of flow '${flow.name}'` };
    }
    case 'scope':
      return { names: {}, where: 'its whole scope' };
  }
}

/** What did not come, by kind. */
export const MISSING: Readonly<Record<Expectation['kind'], string>> = {
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
export function gapNotice(gap: Gap, { trigger, at }: GapEvent, org: string): Notice {
  const { id, expectation, kind, severity, owner, subject, from, until } = gap;
  const isEnd = trigger === 'ON_EXPECTATION_MET_AGAIN' && until !== null;
  const about = `'${expectation.name}'`;
  const { names, where } = namesOf(subject);
  return {
    event: idAt(at, `${id}/${trigger}`),
    at,
    trigger,
    eventType: ENVIRONMENT_EVENTS[trigger],
    org,
    ...names,
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
