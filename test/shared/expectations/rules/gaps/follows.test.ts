import { describe, expect, it } from 'vitest';
import { EnvironmentId } from '#shared/base/ids.ts';
import { storedName } from '#shared/base/names.ts';
import { type Duration, micros, plus } from '#shared/base/time.ts';
import type { Expectation } from '#shared/expectations/rules/expectation.ts';
import { wrongInGap } from '#shared/expectations/rules/gaps/follows.ts';
import { type Gap, gapId } from '#shared/expectations/rules/gaps/gap.ts';

const MINUTE: Duration = 60_000_000;
const START = micros(1_800_000_000_000_000);

const VERSION: Expectation = {
  v: 1,
  id: 'expectation',
  name: 'alive',
  version: 2,
  kind: 'reports',
  scope: { environments: [] },
  every: 20 * MINUTE,
  grace: 2 * MINUTE,
  startsAt: START,
  owner: null,
  severity: 'warning',
  archived: false,
  createdAt: START,
  createdBy: 'ann',
  changedAt: START,
  changedBy: 'ann',
};

const subject: Gap['subject'] = {
  type: 'environment',
  id: EnvironmentId.parse('environment'),
  name: storedName('prod'),
};
const since = plus(START, 100 * MINUTE);
const from = plus(since, VERSION.every);
const until = plus(from, 30 * MINUTE);

const CLOSED: Gap = {
  v: 1,
  id: gapId(VERSION.id, subject, from),
  rev: 2,
  expectation: { id: VERSION.id, name: VERSION.name, version: 2 },
  kind: 'reports',
  severity: 'warning',
  owner: null,
  subject,
  every: VERSION.every,
  grace: VERSION.grace,
  since,
  state: 'closed',
  from,
  detectedAt: plus(from, 3 * MINUTE),
  changedAt: until,
  until,
  ended: 'arrived',
  lastBefore: { at: since, shown: null },
  firstAfter: { at: until, shown: null },
  unknown: [],
  explanation: null,
};

describe('wrongInGap', () => {
  it('finds nothing in a gap that follows', () => {
    expect(wrongInGap(CLOSED, VERSION)).toBeNull();
    expect(wrongInGap({ ...CLOSED, state: 'open', until: null, ended: null, firstAfter: null }, VERSION)).toBeNull();
    const outage = [{ from: plus(since, MINUTE), to: plus(until, -MINUTE) }];
    expect(wrongInGap({ ...CLOSED, state: 'unknown', unknown: outage }, VERSION)).toBeNull();
  });

  it('finds nothing in a gap whose arrival the service saw late, unless the arrival was late itself', () => {
    const late = { ...CLOSED, state: 'unknown', wasOpen: true, until: from } as const;
    expect(wrongInGap({ ...late, firstAfter: { at: plus(since, MINUTE), shown: null } }, VERSION)).toBeNull();
    const missed = plus(from, 3 * MINUTE);
    expect(wrongInGap({ ...late, until: missed, firstAfter: { at: missed, shown: null } }, VERSION)).toBe(
      'it is too long even without its unknown time',
    );
    expect(wrongInGap({ ...CLOSED, wasOpen: true }, VERSION)).toBe('it counts as seen late and is not unknown');
  });

  it.each<[string, Partial<Gap>, string]>([
    ['another beginning', { from: plus(from, MINUTE) }, 'its id belongs to another beginning or subject'],
    ['another end', { until: plus(until, MINUTE) }, 'it does not end with the first arrival after it'],
    ['no end', { until: null }, 'it has an end or a reason of its end, and not both'],
    [
      'another last arrival',
      { lastBefore: { at: plus(since, MINUTE), shown: null } },
      'the silence counts from before',
    ],
    ['a shorter silence', { since: plus(since, MINUTE) }, 'it begins before something was missing'],
    ['another grace', { grace: MINUTE }, "its version has another 'grace'"],
    ['an early find', { detectedAt: from }, 'it was found before it was due'],
    ['the state of another gap', { state: 'open' }, 'it is open and has an end'],
    ['an outage that was none', { state: 'unknown' }, 'it is too long even without its unknown time'],
  ])('names what does not follow from %s', (_, changes, wrong) => {
    expect(wrongInGap({ ...CLOSED, ...changes }, VERSION)).toContain(wrong);
  });

  it('names a gap without a version, or before it', () => {
    expect(wrongInGap(CLOSED, undefined)).toBe('its expectation has no version 2');
    expect(wrongInGap(CLOSED, { ...VERSION, changedAt: until })).toBe('it begins before its version');
  });
});
