import { describe, expect, it } from 'vitest';
import { durationSeconds, durationText, isoDuration } from '#console/expectation/model/durations.ts';
import {
  byState,
  byUrgency,
  dueSoon,
  expectationListSentence,
  expectationSentence,
  stateOfExpectation,
} from '#console/expectation/model/expectations.ts';
import { VERSION_FIELDS } from '#console/expectation/model/versions.ts';
import type { Expectation } from '#console/expectation/operations.ts';
import { changeOf } from '#console/parts/table/model/changes.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
const NOW = 1_800_000_000;
const NONE = { met: 0, late: 0, missed: 0, unknown: 0 };

const expectation = (given: Partial<Expectation> = {}): Expectation => ({
  name: 'alive',
  kind: 'reports',
  scope: { environments: ['prod'] },
  every: 'PT20M',
  grace: 'PT2M',
  due_soon: null,
  starts_at: NOW - DAY,
  owner: null,
  severity: 'warning',
  archived: false,
  version: 1,
  created_at: NOW - DAY,
  created_by: 'ann',
  changed_at: NOW - DAY,
  changed_by: 'ann',
  html_url: 'https://e.example/demo/expectations/alive',
  counts: { ...NONE, met: 1 },
  next_due_at: NOW + HOUR,
  ...given,
});

describe('durations in words', () => {
  it.each([
    ['PT20M', '20 min', 1_200],
    ['P1DT12H', '1 d 12 h', 129_600],
    ['PT0S', '0 s', 0],
    ['P400D', '400 d', 34_560_000],
    ['P1M', 'P1M', null],
    ['', '', null],
    ['P', 'P', null],
  ])('%s is «%s»', (iso, text, seconds) => {
    expect([durationText(iso), durationSeconds(iso)]).toEqual([text, seconds]);
  });

  it.each([
    ['20 min', 'PT20M'],
    [' 36h ', 'PT36H'],
    ['1 week 2 days', 'P9D'],
    ['1 d 12 h 5 min 3 s', 'P1DT12H5M3S'],
    ['0 min', 'PT0S'],
    ['PT20M', 'PT20M'],
    ['soon', 'soon'],
    ['1 month', '1 month'],
    ['', ''],
  ])('«%s» is sent as %s', (text, iso) => {
    expect(isoDuration(text)).toBe(iso);
  });

  it('every text of a duration is read as the same duration again', () => {
    for (const iso of ['PT1M', 'PT20M', 'P1D', 'P90D', 'P1DT12H', 'PT1H1M1S']) {
      expect(isoDuration(durationText(iso))).toBe(iso);
    }
  });
});

describe('the list of expectations', () => {
  it('says what is missed and what is late, and not that all is well while somebody is not known', () => {
    expect(expectationListSentence([])).toContain('nothing is expected yet');
    expect(expectationListSentence([expectation({ archived: true })])).toContain('nothing is expected yet');
    expect(expectationListSentence([expectation()])).toBe('The only expectation is met.');
    expect(expectationListSentence([expectation(), expectation()])).toBe('All 2 expectations are met.');
    expect(expectationListSentence([expectation(), expectation({ counts: NONE })])).toBe(
      '1 expectation of 2 met, and nothing is overdue.',
    );
    const missed = expectation({ name: 'edge', counts: { ...NONE, missed: 1, met: 4 } });
    const late = expectation({ name: 'jobs', counts: { ...NONE, late: 1 } });
    expect(expectationListSentence([expectation(), missed, late])).toBe(
      '1 of 3 expectations missed: edge. jobs is late.',
    );
  });

  it('shows what is missed first, then what is critical, then what is due next', () => {
    const named = [
      expectation({ name: 'later', next_due_at: NOW + 2 * HOUR }),
      expectation({ name: 'nobody', counts: NONE, next_due_at: null }),
      expectation({ name: 'sooner' }),
      expectation({ name: 'critical', severity: 'critical', next_due_at: NOW + 9 * HOUR }),
      expectation({ name: 'missed', severity: 'info', counts: { ...NONE, missed: 1, met: 1 } }),
    ];
    expect(byUrgency(named).map(({ name }) => name)).toEqual(['missed', 'critical', 'sooner', 'later', 'nobody']);
  });

  it('lists what is due in 14 days, without intervals below a day and without what is archived', () => {
    const found = dueSoon(
      [
        expectation({ name: 'hourly', every: 'PT1H' }),
        expectation({ name: 'second', every: 'P90D', next_due_at: NOW + 13 * DAY }),
        expectation({ name: 'first', every: 'P1D', next_due_at: NOW + DAY }),
        expectation({ name: 'far', every: 'P90D', next_due_at: NOW + 15 * DAY }),
        expectation({ name: 'gone', every: 'P90D', archived: true }),
        expectation({ name: 'nobody', every: 'P90D', next_due_at: null }),
      ],
      NOW,
    );
    expect(found.map(({ name }) => name)).toEqual(['first', 'second']);
  });

  it('shows an expectation without environments as unknown, never as met', () => {
    expect(stateOfExpectation(expectation({ counts: NONE }))).toBe('unknown');
    expect(stateOfExpectation(expectation({ counts: { ...NONE, met: 3, late: 1 } }))).toBe('late');
    expect(stateOfExpectation(expectation({ archived: true, counts: NONE }))).toBe('archived');
    // Trails and artifacts are not counted. Their gaps say whether something is missing.
    const uncounted = { kind: 'completion', counts: undefined };
    expect(stateOfExpectation(expectation({ ...uncounted, open_gaps: 2 }))).toBe('missed');
    expect(stateOfExpectation(expectation({ ...uncounted, open_gaps: 0 }))).toBe('met');
    expect(stateOfExpectation(expectation(uncounted))).toBe('unknown');
  });
});

describe('the sentence of an expectation', () => {
  const subject = (
    environment: string,
    state: 'met' | 'late' | 'missed' | 'unknown',
    reported: number | null = NOW,
  ) => ({
    environment,
    state,
    last_reported_at: reported,
  });
  const say = (...subjects: ReturnType<typeof subject>[]) => {
    const counts = { ...NONE };
    for (const { state } of subjects) counts[state] += 1;
    return expectationSentence(expectation(), { counts, subjects }, NOW);
  };
  const ASKED = 'at least every 20 min, with 2 min of grace';

  it('names who is silent, since when, and what was expected', () => {
    expect(say(subject('edge', 'missed', NOW - 26 * HOUR), subject('prod', 'met'))).toBe(
      `edge is silent: the last report came 26 h ago. Expected ${ASKED}.`,
    );
    expect(say(subject('edge', 'missed', null))).toBe(`edge is silent: it never reported. Expected ${ASKED}.`);
    expect(say(subject('a', 'missed'), subject('b', 'missed'), subject('c', 'late', NOW - HOUR))).toBe(
      `a and b are silent. c is late: the last report came 60 min ago. Expected ${ASKED}.`.replace('60 min', '1 h'),
    );
  });

  it('counts those that a page of the environments does not name', () => {
    const counts = { ...NONE, missed: 120, met: 1 };
    const subjects = [subject('a', 'missed')];
    expect(expectationSentence(expectation(), { counts, subjects }, NOW)).toContain('120 environments are silent.');
  });

  it('says that all report, and what nobody knows', () => {
    expect(say(subject('prod', 'met'))).toBe(`Met: it reports ${ASKED}.`);
    expect(say(subject('a', 'met'), subject('b', 'met'))).toBe(`Met: all 2 environments report ${ASKED}.`);
    expect(say(subject('a', 'met'), subject('b', 'unknown', null))).toContain('Met by 1 of 2 environments');
    expect(say()).toContain('nothing can be missed');
    const archived = expectation({ archived: true });
    expect(expectationSentence(archived, { counts: NONE, subjects: [] }, NOW)).toContain('expects nothing');
  });

  it('has the silent environments first in the table', () => {
    const rows = byState([subject('a', 'met'), subject('b', 'missed'), subject('c', 'late'), subject('d', 'missed')]);
    expect(rows.map(({ environment }) => environment)).toEqual(['b', 'd', 'c', 'a']);
  });
});

describe('the versions of an expectation', () => {
  it('say what changed, in words', () => {
    const after = expectation({ version: 2, every: 'PT1H', owner: 'web', scope: { tags: { tier: '1', live: '' } } });
    expect(changeOf(VERSION_FIELDS, expectation(), after)).toEqual([
      { field: 'Scope', before: 'prod', after: 'tier: 1, live' },
      { field: 'At least every', before: '20 min', after: '1 h' },
      { field: 'Owner', before: 'nobody', after: 'web' },
    ]);
  });
});
