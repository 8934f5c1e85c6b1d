import { absolute } from '#shared/base/addresses.ts';
import { type Id, idAt } from '#shared/base/ids.ts';
import { MINUTE } from '#shared/base/texts/durations.ts';
import { timeText } from '#shared/base/texts/instants.ts';
import { EPOCH, latestOf, type Micros, minus } from '#shared/base/time.ts';
import { ENVIRONMENT_EVENTS } from '#shared/environments/rules/transitions.ts';
import type { Notice } from '#shared/notifications/rules/records.ts';
import type { Expectation } from '../expectation.ts';
import { type GapSubject, subjectKey } from './gap.ts';
import { MISSING, namesOf } from './gap-notices.ts';
import { shownSubject } from './shown-subject.ts';
import { dueOf, type Look, type Terms } from './silence.ts';

/** Telling before something is missed (rules/notifications.md#due-soon). */

/** When a subject is due, and since when that is soon. */
export interface Soon {
  at: Micros;
  due: Micros;
}

/** Two looks overlap by this, so that a look which skipped these subjects leaves nothing out. */
const OVERLAP = 2 * MINUTE;

/**
 * Returns since when a subject is due soon: `due_soon` before it is due, but not before the version of the expectation.
 *
 * @param since from when on the silence counts
 * @returns null if the expectation does not ask for it
 */
export function soonOf(terms: Terms & Pick<Expectation, 'dueSoon'>, since: Micros): Soon | null {
  if (terms.dueSoon === undefined) return null;
  const due = dueOf(terms, since);
  return { at: latestOf(minus(due, terms.dueSoon), terms.changedAt), due };
}

/** Whether a subject is due soon, and may not have been when the last look began. Two looks can answer yes. */
export const isSoonSince = ({ at, due }: Soon, { now, lookedAt }: Pick<Look, 'now' | 'lookedAt'>): boolean =>
  at <= now && now <= due && at > minus(lookedAt ?? EPOCH, OVERLAP);

/** A subject that is due soon. */
export interface DueSoon {
  expectation: Pick<Expectation, 'id' | 'name' | 'kind' | 'severity' | 'owner' | 'scope'>;
  subject: GapSubject;
  soon: Soon;
}

/**
 * Makes the notice that a subject is due soon. Its id follows from expectation, subject and due time, so it is the same at every
 * look.
 *
 * @param one with the present names of the subject
 * @param org name of the organization
 */
export function dueSoonNotice({ expectation, subject, soon: { at, due } }: DueSoon, org: string): Notice {
  const trigger = 'ON_EXPECTATION_DUE_SOON';
  const { name, kind, severity, owner } = expectation;
  const { names, where } = namesOf(subject);
  const event: Id = idAt(at, `${expectation.id}#${subjectKey(subject)}#${due}/${trigger}`);
  const until = timeText(due);
  return {
    event,
    at,
    trigger,
    eventType: ENVIRONMENT_EVENTS[trigger],
    org,
    ...names,
    description: `Expectation '${name}' is due soon in ${where}: with ${MISSING[kind]} until ${until} it is missed`,
    htmlPath: absolute('', `/${org}/expectations/${name}`),
    apiPath: absolute('', `/api/v2/expectations/${org}/${name}`),
    expected: {
      expectation: name,
      kind,
      severity,
      ...(owner !== null && { owner }),
      subject: { ...shownSubject(subject) },
      due,
    },
  };
}
