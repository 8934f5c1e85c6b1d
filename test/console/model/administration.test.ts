import { describe, expect, it } from 'vitest';
import type { Account, ApiKey, AuditEntry, Member } from '#console/client/access.ts';
import type { Action, Attempt, Delivery, DeliverySummary, ExplainedAction } from '#console/client/actions.ts';
import type { Evaluation } from '#console/client/evaluations.ts';
import { accountSentence, keyWarning, peopleSentence, rightsOver } from '#console/model/access.ts';
import {
  actionListSentence,
  actionSentence,
  attemptText,
  deliveriesSentence,
  eventText,
  explanationSentence,
  targetText,
  triggerText,
} from '#console/model/actions.ts';
import { attemptMarks, ticksWithin } from '#console/model/attempts.ts';
import { auditSentence, changedFields, verbOf } from '#console/model/audit.ts';
import { controlListSentence, controlSentence, decisionsSentence } from '#console/model/controls.ts';
import { evaluationListSentence, evaluationSentence, evaluationState } from '#console/model/evaluations.ts';
import { offerReason } from '#console/model/offers.ts';
import { changeText, diffLines, nearChanges, policyListSentence, policySentence } from '#console/model/policy.ts';

const DAY = 86_400;

describe('policies', () => {
  const policy = (name: string, ...names: string[]) => ({
    name,
    consuming_envs: names,
    versions: [{ version: 2, policy_yaml: '', comment: '', timestamp: 0, created_by: 'ann' }],
  });

  it('says how many environments they judge, and which are attached to none', () => {
    expect(policyListSentence([])).toBe('No environment can be judged: there is no policy yet.');
    expect(policyListSentence([policy('a', 'prod')])).toBe('1 policy judges 1 environment.');
    expect(policyListSentence([policy('a', 'prod', 'test'), policy('b', 'prod'), policy('c')])).toBe(
      '2 policies judge 2 environments. c is attached to none.',
    );
  });

  it('says which environments of a policy are not compliant, and nothing of unknown states', () => {
    const judged = (name: string, state: boolean | null) => ({ name, state });
    const strict = policy('strict', 'prod', 'test');
    expect(policySentence(policy('strict'), [])).toContain('judges nothing');
    expect(policySentence(strict, [])).toBe('Version 2 judges prod and test.');
    expect(policySentence(strict, [judged('prod', false), judged('test', true)])).toContain('prod is not compliant.');
    expect(policySentence(strict, [judged('prod', true), judged('test', true)])).toContain('All are compliant.');
    expect(policySentence(strict, [judged('prod', true), judged('test', null)])).toBe(
      'Version 2 judges prod and test.',
    );
  });

  it('compares two texts line by line', () => {
    const lines = diffLines('a\nb\nc\n', 'a\nB\nc\nd\n');
    expect(lines.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'same a',
      'removed b',
      'added B',
      'same c',
      'added d',
    ]);
    expect(lines.map(({ before, after }) => [before, after])).toEqual([
      [1, 1],
      [2, null],
      [null, 2],
      [3, 3],
      [null, 4],
    ]);
    expect(changeText(lines)).toBe('2 lines added, 1 removed.');
    expect(changeText(diffLines('a\r\nb', 'a\nb\n'))).toBe('The texts are the same.');
  });

  it('leaves out the lines far from each change', () => {
    const text = Array.from({ length: 20 }, (_, n) => `line ${n}`);
    const shown = nearChanges(diffLines(text.join('\n'), [...text, 'last'].join('\n')));
    expect(shown.map((line) => line?.text ?? null)).toEqual([null, 'line 17', 'line 18', 'line 19', 'last']);
  });
});

describe('controls', () => {
  it.each([
    ['No policy asks for it, so it covers no environment.', [], 0, 3],
    ['Covers 1 of 3 environments: strict asks for it.', ['strict'], 1, 3],
    ['Covers all of 2 environments: a and b ask for it.', ['a', 'b'], 2, 2],
    ['Covers 0 of 0 environments: strict asks for it.', ['strict'], 0, 0],
  ])('%s', (sentence, policies, covered, total) => {
    expect(controlSentence({ archived: false, policies_referencing: policies }, { covered, total })).toBe(sentence);
  });

  it('names an archived control as one', () => {
    expect(controlSentence({ archived: true, policies_referencing: [] }, { covered: 0, total: 1 })).toMatch(
      /^Archived\. /,
    );
  });

  it('counts decisions', () => {
    const yes = { is_compliant: true };
    const no = { is_compliant: false };
    expect(decisionsSentence([], false)).toBe('Nobody recorded a decision about it.');
    expect(decisionsSentence([yes], false)).toBe('The only decision is compliant.');
    expect(decisionsSentence([yes, yes], true)).toBe('All of the newest 2 decisions are compliant.');
    expect(decisionsSentence([yes, no], false)).toBe('1 of 2 decisions is not compliant.');
    expect(controlListSentence(1, true)).toBe('1 control fits the filter.');
    expect(controlListSentence(0, false)).toBe('The catalogue of controls is empty.');
  });
});

describe('evaluations', () => {
  const completed = (allow: boolean, ...violations: string[]) =>
    ({ status: 'completed', result: { allow, violations }, error: null }) as unknown as Evaluation;
  const failed = (kind: string) =>
    ({ status: 'failed', result: null, error: { kind, message: '' } }) as unknown as Evaluation;
  const pending = { status: 'pending', result: null, error: null } as unknown as Evaluation;

  it.each<[string, Evaluation, string]>([
    ['granted', completed(true), 'Allowed: the policy program found no violation.'],
    ['granted', completed(true, 'a'), 'Allowed, with 1 violation that the policy program tolerates.'],
    ['denied', completed(false), 'Denied. The policy program names no violation.'],
    ['denied', completed(false, 'fewer than 1 reviewer.'), 'Denied: fewer than 1 reviewer.'],
    ['denied', completed(false, 'a', 'b', 'c'), 'Denied: a. 2 other violations.'],
    ['pending', pending, 'The policy program did not run yet.'],
  ])('is %s: «%s»', (state, evaluation, sentence) => {
    expect([evaluationState(evaluation), evaluationSentence(evaluation)]).toEqual([state, sentence]);
  });

  it('says whose fault a failure is', () => {
    expect(evaluationSentence(failed('policy_error'))).toContain('Its author has to correct it.');
    expect(evaluationSentence(failed('internal_error'))).toContain('The service failed.');
    expect(evaluationState(failed('internal_error'))).toBe('failed');
  });

  it('shortens a long violation', () => {
    expect(evaluationSentence(completed(false, 'x'.repeat(5000))).length).toBeLessThan(200);
  });

  it('counts a list by verdict', () => {
    expect(evaluationListSentence([completed(true), failed('policy_error'), pending], 3)).toBe(
      'Of the 3 evaluations: 1 allowed, 0 denied, 1 without a verdict, 1 not finished.',
    );
    expect(evaluationListSentence([completed(false)], 40)).toBe(
      'Of the 1 shown of 40 evaluations: 0 allowed, 1 denied.',
    );
  });
});

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

describe('the audit log', () => {
  it('shows the fields that a change set to another value', () => {
    expect(changedFields({ role: 'member', same: 1 }, { role: 'reader', same: 1, tags: { a: 'b' } })).toEqual([
      { field: 'role', before: 'member', after: 'reader' },
      { field: 'tags', before: null, after: '{\n  "a": "b"\n}' },
    ]);
    expect(changedFields(null, null)).toEqual([]);
    expect(changedFields(null, JSON.parse('{"__proto__":"x"}'))).toEqual([
      { field: '__proto__', before: null, after: 'x' },
    ]);
  });

  it('says how many changes are shown and by whom', () => {
    const by = (name: string) => ({ actor: { name } }) as AuditEntry;
    expect(auditSentence([by('ann'), by('ann')], false, false)).toBe('2 changes by ann.');
    expect(auditSentence([by('ann'), by('bob')], true, true)).toBe(
      'The newest 2 changes by 2 callers that fit the filter.',
    );
    expect(auditSentence([], false, true)).toBe('No change fits the filter.');
    expect(verbOf('member.role_changed')).toBe('role changed');
  });
});

describe('people and keys', () => {
  const key = (end: number, description = 'ci') => ({ description, expires_at: end }) as ApiKey;

  it('warns of a key that expires within two weeks, has expired or never expires', () => {
    expect(keyWarning(key(5 * DAY), 0)).toBe('expires in 5 d');
    expect([keyWarning(key(60 * DAY), 0), keyWarning(key(0), 0), keyWarning(key(1), 2)]).toEqual([
      null,
      'never expires',
      'expired',
    ]);
  });

  it('says what a service account may do and which key ends first', () => {
    expect(accountSentence({ privilege: 'member' }, [], 0)).toContain('has no key');
    expect(accountSentence({ privilege: 'reader' }, [key(9 * DAY, 'b'), key(5 * DAY, 'a')], 0)).toBe(
      'Acts as reader with 2 keys. «a» expires in 5 d.',
    );
  });

  it('says who has access', () => {
    const members = [
      { name: 'ann', role: 'admin' },
      { name: 'bob', role: 'reader' },
    ] as Member[];
    expect(peopleSentence(members, [])).toBe('2 people and no service account have access. The only admin is ann.');
    const invited = { name: 'eve', role: 'admin', is_invited: true } as Member;
    expect(peopleSentence([...members, invited], [])).toBe(
      '2 people and no service account have access. 1 is invited. The only admin is ann.',
    );
  });

  it('says why an organization offers the caller to join', () => {
    expect(offerReason({ by: 'domain', name: 'acme.example' })).toBe('lets people of acme.example in');
    expect(offerReason({ by: 'group', name: 'ops' })).toBe('lets people of the group «ops» in');
    expect(offerReason({ by: 'invitation', name: null })).toBe('invited you');
  });

  it('shows the buttons of an account to admins and its creator, and secrets only up to their own role', () => {
    const account = { creating_user_id: 'u1', privilege: 'member' } as Account;
    expect(rightsOver(account, undefined)).toEqual({ revoke: false, issue: false });
    expect(rightsOver(account, { id: 'u2', role: 'admin' })).toEqual({ revoke: true, issue: true });
    expect(rightsOver(account, { id: 'u2', role: 'member' })).toEqual({ revoke: false, issue: false });
    expect(rightsOver(account, { id: 'u1', role: 'snapshotter' })).toEqual({ revoke: true, issue: false });
    expect(rightsOver(account, { id: 'u1', role: 'reader' })).toEqual({ revoke: false, issue: false });
  });
});
