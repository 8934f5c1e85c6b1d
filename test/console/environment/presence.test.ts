import { describe, expect, it } from 'vitest';
import {
  dayText,
  hoursOf,
  hourText,
  longestSilence,
  partInDay,
  presenceSentence,
  silenceOfDay,
} from '#console/environment/model/presence.ts';
import type { PresenceDay } from '#console/environment/operations.ts';

const HOUR = 3_600;
const BEGIN = Date.parse('2026-11-28T00:00:00Z') / 1000;
const END = BEGIN + 24 * HOUR;

/** A day with a report in each hour but some. */
const day = (given: Partial<PresenceDay> = {}, silent: readonly number[] = []): PresenceDay => ({
  date: '2026-11-28',
  timestamp: BEGIN,
  state: 'reported',
  running: false,
  counted_from: null,
  reports: 24 - silent.length,
  hours: Array.from({ length: 24 }, (_, hour) => (silent.includes(hour) ? 0 : 1)),
  first_at: BEGIN + 60,
  last_at: END - 60,
  longest_silence: null,
  last_before_at: BEGIN - 60,
  ...given,
});
const statesOf = (one: PresenceDay, now = END) => hoursOf(one, now).map(({ state }) => state);

describe('the hours of a day', () => {
  it('have reports or none, and those that have not begun are neither', () => {
    const states = statesOf(day({ running: true }, [3, 4, 23]), BEGIN + 22.5 * HOUR);
    expect(states.slice(2, 6)).toEqual(['reported', 'silent', 'silent', 'reported']);
    expect(states[23]).toBe('later');
  });

  it('are unknown and never silent where nobody counted', () => {
    expect(new Set(statesOf(day({ state: 'unknown', hours: null, reports: null })))).toEqual(new Set(['unknown']));
    const begun = day({ counted_from: BEGIN + 5.5 * HOUR, last_before_at: BEGIN + 5.5 * HOUR }, [0, 1, 2, 3, 4, 5, 9]);
    expect(statesOf(begun).slice(4, 7)).toEqual(['unknown', 'unknown', 'reported']);
    expect(statesOf(begun)[9]).toBe('silent');
  });

  it('begin with the first report that ever came', () => {
    const first = day({ first_at: BEGIN + 2.5 * HOUR, last_before_at: null }, [0, 1, 2, 7]);
    expect(statesOf(first).slice(0, 4)).toEqual(['before', 'before', 'before', 'reported']);
    expect(statesOf(first)[7]).toBe('silent');
  });

  it('are named for the pointer, and as a day for screen readers', () => {
    const [first] = hoursOf(day(), END);
    expect(first && hourText(first)).toBe('00:00 to 01:00: 1 report');
    expect(dayText(day({}, [3, 4, 9]), END)).toBe(
      '28 Nov 2026: no report from 03:00 to 05:00, 09:00 to 10:00; 21 hours with reports',
    );
    expect(dayText(day({ state: 'unknown', hours: null }), END)).toContain('not known from 00:00 to 24:00');
  });
});

describe('the longest silence', () => {
  const inside = { from: BEGIN + HOUR, until: BEGIN + 3 * HOUR, seconds: 2 * HOUR };

  it('lies inside a day, before its first report, or lasts', () => {
    expect(silenceOfDay(day(), END)).toEqual({ from: BEGIN - 60, until: BEGIN + 60 });
    expect(silenceOfDay(day({ longest_silence: inside }), END)).toMatchObject({
      from: inside.from,
      until: inside.until,
    });
    const longer = day({ longest_silence: inside, last_before_at: BEGIN - 9 * HOUR });
    expect(silenceOfDay(longer, END)).toEqual({ from: BEGIN - 9 * HOUR, until: BEGIN + 60 });
    expect(silenceOfDay(day({ running: true }), BEGIN + HOUR)).toEqual({ from: BEGIN + HOUR, until: null });
    expect(
      silenceOfDay(day({ state: 'silent', first_at: null, last_at: null, last_before_at: null }), null),
    ).toBeNull();
  });

  it('does not reach back before reports were counted', () => {
    const begun = day({ counted_from: BEGIN - 60, last_before_at: BEGIN - 9 * HOUR });
    expect(silenceOfDay(begun, END)).toBeNull();
  });

  it('counts until now if it lasts', () => {
    const days = [day({ running: true, last_at: BEGIN + HOUR }), day({ longest_silence: inside })];
    expect(longestSilence(days, BEGIN + HOUR, BEGIN + 2 * HOUR)).toMatchObject({ from: inside.from });
    expect(longestSilence(days, BEGIN + HOUR, BEGIN + 20 * HOUR)).toEqual({ from: BEGIN + HOUR, until: null });
  });
});

describe('the sentence above the hours', () => {
  it('says how many reports came, in which hours none did, and what nobody knows', () => {
    const unknown = day({ state: 'unknown', hours: null, reports: null, first_at: null, last_before_at: null });
    expect(presenceSentence([day({ last_before_at: BEGIN - 2 * HOUR }, [3]), unknown], END, END)).toBe(
      '23 reports in 24 hours. Nothing came in 1 hour. The longest silence took 2 h 1 min, from 27 Nov 22:00 to 28 Nov 00:01 UTC. Of 24 hours nobody knows.',
    );
    expect(presenceSentence([day()], END, END)).toContain('Something came in each of them.');
    expect(presenceSentence([unknown], END, END)).toBe('Nobody counted reports in these days.');
  });

  it('says that a silence lasts', () => {
    const running = day({ running: true, hours: Array.from({ length: 24 }, (_, hour) => (hour < 2 ? 1 : 0)) });
    expect(presenceSentence([running], BEGIN + 2 * HOUR, BEGIN + 20 * HOUR)).toContain(
      'The longest silence has lasted for 18 h, since 28 Nov 02:00 UTC.',
    );
  });
});

describe('a gap on the axis of a day', () => {
  it('is cut at the edges of the day, in hours', () => {
    expect(partInDay({ from: BEGIN - HOUR, to: BEGIN + 1.5 * HOUR }, day())).toEqual({ from: 0, to: 1.5 });
    expect(partInDay({ from: BEGIN + HOUR, to: END + HOUR }, day())).toEqual({ from: 1, to: 24 });
    expect(partInDay({ from: END, to: END + HOUR }, day())).toBeNull();
  });
});
