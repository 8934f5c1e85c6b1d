import type { StateName } from '../../model/states.ts';
import { duration } from '../../model/time.ts';
import { count, listed } from '../../model/words.ts';
import type { Action, Attempt, Delivery, DeliverySummary, ExplainedAction } from '../operations.ts';

export function actionState(
  action: Pick<Action, 'is_failing' | 'last_success_timestamp' | 'targets' | 'unreadable'>,
): StateName {
  if (action.unreadable) return 'unknown';
  if (action.is_failing || action.targets.some(isDisabled)) return 'failing';
  return action.last_success_timestamp > 0 ? 'working' : 'idle';
}

export const isDisabled = (target: object): boolean => 'disabled' in target && target.disabled === true;

export function actionListSentence(actions: readonly Action[]): string {
  if (actions.length === 0) return 'Nobody is told of anything: there is no action yet.';
  const failing = actions.filter((action) => actionState(action) === 'failing').map(({ name }) => name);
  if (failing.length > 0) {
    return `${failing.length} of ${count(actions.length, 'action')} ${failing.length === 1 ? 'fails' : 'fail'}: ${listed(failing)}.`;
  }
  return actions.length === 1 ? 'The only action does not fail.' : `None of ${count(actions.length, 'action')} fails.`;
}

/** Where a target is, without the path, which can hold a secret. */
export function targetText(target: {
  type: string;
  webhook?: string;
  emails?: string[];
  host?: string | null;
}): string {
  if (target.emails !== undefined) return listed(target.emails, 3);
  const host =
    target.host ?? (target.webhook !== undefined && URL.canParse(target.webhook) ? new URL(target.webhook).host : null);
  return host ?? (target.type === 'EMAIL' ? 'mail' : 'unknown target');
}

const ERRORS: Readonly<Record<string, string>> = {
  name: 'the name of the host is not known',
  address: 'the address is not allowed',
  refused: 'the host refused the connection',
  unreachable: 'the host could not be reached',
  tls: 'no secure connection could be made',
  timeout: 'no answer in time',
  closed: 'the host closed the connection',
  mail: 'the mail was not taken',
  given_up: 'the service gave up, because the target took nothing for a day',
  other: 'the request failed',
};

/** What came of an attempt: `HTTP 500`, `no answer in time`, `handed over` for mail. */
export function attemptText({ status, outcome, error }: Pick<Attempt, 'status' | 'outcome' | 'error'>): string {
  if (outcome === 'gone') return 'HTTP 410, so the target was disabled';
  if (status !== null) return `HTTP ${status}`;
  if (outcome === 'delivered') return 'handed over';
  return ERRORS[error ?? 'other'] ?? 'the request failed';
}

function workingText(newest: number, failed: number): string {
  if (newest === 0) return 'Working: what was sent last arrived.';
  if (newest === 1 && failed === 0) return 'Working: the only delivery arrived.';
  return failed === 0
    ? `Working: all of the newest ${newest} deliveries arrived.`
    : `Working again: what was sent last arrived. ${failed} of the newest ${newest} deliveries did not.`;
}

/**
 * Whether an action works, and if not, since when and why.
 * @param deliveries the newest first
 * @param hasMore whether there are older deliveries, so that the first failure may be older than all of these
 */
export function actionSentence(action: Action, deliveries: readonly Delivery[], hasMore: boolean, now: number): string {
  const state = actionState(action);
  const failed = deliveries.filter(({ state: one }) => one === 'dead' || one === 'discarded');
  if (state === 'idle' && deliveries.length === 0) return 'Nothing was sent yet: no event fitted.';
  if (state !== 'failing') return workingText(deliveries.length, failed.length);
  const disabled = action.targets.filter(isDisabled).map(targetText);
  const since = deliveries
    .flatMap(failedAttempts)
    .map(({ at }) => at)
    .filter((at) => at > action.last_success_timestamp)
    .reduce((first, at) => Math.min(first, at), now);
  const last = deliveries.flatMap(failedAttempts).toSorted((a, b) => b.at - a.at)[0];
  const failing = `Failing for ${hasMore ? 'at least ' : ''}${duration(now - since)}:`;
  if (disabled.length > 0) {
    return `${failing} ${listed(disabled)} answered 410 and ${disabled.length === 1 ? 'is' : 'are'} disabled. Save the action again to enable ${disabled.length === 1 ? 'it' : 'them'}.`;
  }
  const reason = last ? ` At the last attempt ${reasonText(last)}.` : '';
  const many =
    failed.length === 0
      ? 'deliveries are tried again.'
      : `${failed.length} of the newest ${count(deliveries.length, 'delivery')} did not arrive.`;
  return `${failing} ${many}${reason}`;
}

const reasonText = (attempt: Attempt): string =>
  attempt.status === null ? attemptText(attempt) : `the target answered ${attemptText(attempt)}`;

const failedAttempts = ({ attempts }: Pick<Delivery, 'attempts'>): Attempt[] =>
  attempts.filter(({ outcome }) => outcome !== 'delivered');

/** What the event of a delivery was about. */
export function eventText({ flow, trail, environment, test, description }: Delivery['event']): string {
  if (test) return 'test event';
  if (trail !== undefined) return flow === undefined ? trail : `${trail} of ${flow}`;
  return flow ?? environment ?? description;
}

/** What happened, in words. Other triggers are shown with their own words. */
const TRIGGER_TEXTS: Readonly<Record<string, string>> = {
  ON_STARTED_TRAIL: 'trail began',
  ON_ATTESTED_PROVENANCE: 'artifact reported',
  ON_ATTESTATION: 'attestation reported',
  ON_STARTED_ARTIFACT: 'artifact started',
  ON_EXITED_ARTIFACT: 'artifact stopped',
  ON_ALLOWED_ARTIFACT: 'artifact allowed',
  ON_NON_COMPLIANT_ENV: 'environment not compliant',
  ON_COMPLIANT_ENV: 'environment compliant again',
  ON_EXPECTATION_DUE_SOON: 'expectation due soon',
  ON_EXPECTATION_MISSED: 'expectation missed',
  ON_EXPECTATION_MET_AGAIN: 'expectation met again',
  ON_EXPOSURE: 'watched component found',
};

export const triggerText = (trigger: string): string =>
  TRIGGER_TEXTS[trigger] ?? trigger.replace(/^ON_/, '').replaceAll('_', ' ').toLowerCase();

/** What the deliveries of all actions say first. */
export function deliveriesSentence(
  deliveries: readonly DeliverySummary[],
  { hasMore, isFiltered, isLater = false }: { hasMore: boolean; isFiltered: boolean; isLater?: boolean },
): string {
  if (deliveries.length === 0 && !hasMore && isLater) return 'There is no older delivery.';
  if (deliveries.length === 0 && !hasMore)
    return isFiltered ? 'No delivery fits the filter.' : 'No event has fitted an action yet.';
  if (deliveries.length === 0) return 'Nothing on this page fits the filter. Older deliveries may.';
  const of = (state: string) => deliveries.filter((one) => one.state === state).length;
  const many = `${hasMore ? 'the newest ' : ''}${deliveries.length === 1 ? '1 delivery' : `${deliveries.length} deliveries`}`;
  const lost = of('dead') + of('discarded');
  if (lost === 0 && of('pending') === 0) return `All of ${many} arrived.`;
  const parts = [
    `${of('delivered')} arrived`,
    ...(of('pending') > 0 ? [`${of('pending')} pending`] : []),
    ...(of('dead') > 0 ? [`${of('dead')} dead`] : []),
    ...(of('discarded') > 0 ? [`${of('discarded')} discarded`] : []),
  ];
  return `Of ${many}: ${parts.join(', ')}.`;
}

/** Why an action was not notified of an event. */
export const MISMATCH_TEXTS: Readonly<Record<string, string>> = {
  later: 'It was created or changed after the event.',
  trigger: 'It does not react to this kind of event.',
  flow: 'It does not watch the flow.',
  environment: 'It does not watch the environment.',
};

/** Which actions were notified of an event, in a sentence. */
export function explanationSentence(actions: readonly ExplainedAction[]): string {
  if (actions.length === 0) return 'Nobody was told: there was no action.';
  const matching = actions.filter(({ matches }) => matches);
  if (matching.length === 0) return `Nobody was told: none of ${count(actions.length, 'action')} fits the event.`;
  const targets = matching.flatMap(({ targets: all }) => all);
  const parts = (['delivered', 'pending', 'dead', 'discarded'] as const).flatMap((state) => {
    const number = targets.filter(({ delivery }) => delivery?.state === state).length;
    return number === 0 ? [] : [`${number} ${STATE_TEXTS[state]}`];
  });
  const none = targets.filter(({ delivery }) => delivery === null).length;
  if (none > 0) parts.push(`${none} without a delivery yet`);
  const fit = `${matching.length} of ${count(actions.length, 'action')} ${matching.length === 1 ? 'fits' : 'fit'} the event`;
  return `${fit}. Its ${targets.length === 1 ? 'target' : 'targets'}: ${parts.join(', ')}.`.replace(
    'Its',
    matching.length === 1 ? 'Its' : 'Their',
  );
}

const STATE_TEXTS = { delivered: 'told', pending: 'waiting', dead: 'given up', discarded: 'skipped' } as const;
