import { describe, expect, it } from 'vitest';
import {
  actionListSentence,
  actionSentence,
  attemptText,
  deliveriesSentence,
  eventText,
  explanationSentence,
  targetText,
  triggerText,
} from '#console/notification/model/actions.ts';
import { attemptMarks, ticksWithin } from '#console/notification/model/attempts.ts';
import type { Action, Attempt, Delivery, DeliverySummary, ExplainedAction } from '#console/notification/operations.ts';

const DAY = 86_400;

describe('actions and deliveries', () => {
  const action = (fields: Partial<Action>): Action =>
    ({ name: 'team', targets: [], is_failing: false, last_success_timestamp: 0, ...fields }) as Action;
  const attempt = (fields: Partial<Attempt>): Attempt =>
    ({ at: 0, status: null, outcome: 'failed', error: 'timeout', ...fields }) as Attempt;
  const delivery = (state: Delivery['state'], ...attempts: Attempt[]): Delivery => ({ state, attempts }) as Delivery;

  it('names the actions that fail', () => {
    expect(actionListSentence([])).toContain('there is no action yet');
    expect(actionListSentence([action({}), action({ is_failing: true, name: 'chat' })])).toBe(
      '1 of 2 actions fails: chat.',
    );
    expect(actionListSentence([action({}), action({})])).toBe('None of 2 actions fails.');
  });

  it('says since when an action fails and why', () => {
    const tried = attempt({ at: 1000, status: 500, error: 'status' });
    const failing = action({ is_failing: true, last_success_timestamp: 900 });
    const deliveries = [delivery('dead', tried), delivery('delivered', attempt({ at: 800 }))];
    expect(actionSentence(failing, deliveries, false, 1000 + DAY)).toBe(
      'Failing for 1 d: 1 of the newest 2 deliveries did not arrive. At the last attempt the target answered HTTP 500.',
    );
    expect(actionSentence(failing, deliveries, true, 1000 + DAY)).toMatch(/^Failing for at least 1 d:/);
  });

  it('says that a target is disabled and how it is enabled', () => {
    const target = { type: 'CHAT', webhook: 'https://chat.example.com/secret', disabled: true };
    const gone = action({ targets: [target] as unknown as Action['targets'] });
    const sentence = actionSentence(gone, [], false, 0);
    expect(sentence).toContain('chat.example.com answered 410 and is disabled');
    expect(sentence).not.toContain('secret');
  });

  it.each<[string, Action, Delivery[]]>([
    ['Nothing was sent yet: no event fitted.', action({}), []],
    ['Working: the only delivery arrived.', action({ last_success_timestamp: 1 }), [delivery('delivered')]],
    [
      'Working again: what was sent last arrived. 1 of the newest 2 deliveries did not.',
      action({ last_success_timestamp: 1 }),
      [delivery('delivered'), delivery('dead', attempt({}))],
    ],
  ])('%s', (sentence, one, deliveries) => {
    expect(actionSentence(one, deliveries, false, 0)).toBe(sentence);
  });

  it('says what came of an attempt', () => {
    expect(attemptText(attempt({ status: 503 }))).toBe('HTTP 503');
    expect(attemptText(attempt({}))).toBe('no answer in time');
    expect(attemptText(attempt({ outcome: 'delivered', error: null }))).toBe('handed over');
    expect(attemptText(attempt({ outcome: 'gone', status: 410 }))).toContain('disabled');
  });

  it('says where a target is and what an event was about', () => {
    expect(targetText({ type: 'WEBHOOK', webhook: 'https://a.example/path?token=1' })).toBe('a.example');
    expect(targetText({ type: 'EMAIL', emails: ['a@x.example', 'b@x.example'] })).toBe('a@x.example and b@x.example');
    expect(targetText({ type: 'EMAIL', host: null })).toBe('mail');
    const event = { id: '', type: '', timestamp: 0, description: 'd', test: false };
    expect(eventText({ ...event, flow: 'web', trail: 'r-1' })).toBe('r-1 of web');
    expect(eventText({ ...event, environment: 'prod' })).toBe('prod');
    expect(eventText({ ...event, test: true })).toBe('test event');
    expect([triggerText('ON_STARTED_TRAIL'), triggerText('ON_SOMETHING_NEW')]).toEqual([
      'trail began',
      'something new',
    ]);
  });

  it('counts the deliveries of all actions', () => {
    const of = (...states: string[]) => states.map((state) => ({ state }) as DeliverySummary);
    expect(deliveriesSentence(of('delivered', 'delivered'), { hasMore: true, isFiltered: false })).toBe(
      'All of the newest 2 deliveries arrived.',
    );
    expect(deliveriesSentence(of('delivered', 'dead', 'pending'), { hasMore: false, isFiltered: false })).toBe(
      'Of 3 deliveries: 1 arrived, 1 pending, 1 dead.',
    );
    expect(deliveriesSentence([], { hasMore: true, isFiltered: true })).toContain('Older deliveries may');
    expect(deliveriesSentence([], { hasMore: false, isFiltered: true })).toBe('No delivery fits the filter.');
    expect(deliveriesSentence([], { hasMore: false, isFiltered: false, isLater: true })).toBe(
      'There is no older delivery.',
    );
    expect(deliveriesSentence([], { hasMore: false, isFiltered: false })).toBe('No event has fitted an action yet.');
  });

  it('says who was told of an event', () => {
    const one = (matches: boolean, ...states: (string | null)[]) =>
      ({ matches, targets: states.map((state) => ({ delivery: state && { state } })) }) as unknown as ExplainedAction;
    expect(explanationSentence([])).toBe('Nobody was told: there was no action.');
    expect(explanationSentence([one(false)])).toBe('Nobody was told: none of 1 action fits the event.');
    expect(explanationSentence([one(true, 'delivered', 'discarded'), one(false)])).toBe(
      '1 of 2 actions fits the event. Its targets: 1 told, 1 skipped.',
    );
    expect(explanationSentence([one(true, null), one(true, 'dead')])).toContain('1 given up, 1 without a delivery yet');
  });

  it('places attempts on a logarithmic axis within its ends, the next attempt last', () => {
    const { marks, longest } = attemptMarks({
      created_at: 100,
      next_attempt_at: 100 + 2 * DAY,
      attempts: [attempt({ at: 100 }), attempt({ at: 160 }), attempt({ at: 99 })],
    });
    expect(marks.map(({ place }) => place)).toEqual([0, expect.closeTo(0.34, 1), 0, 1]);
    expect(marks.at(-1)?.outcome).toBe('next');
    expect(ticksWithin(longest).map(({ label }) => label)).toEqual(['1 s', '1 min', '1 h', '1 d']);
  });
});
