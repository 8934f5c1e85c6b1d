import { describe, expect, it } from 'vitest';
import {
  DAY,
  DURATION_PATTERN,
  durationField,
  durationText,
  durationWords,
  MINUTE,
  SECOND,
  wordsOf,
} from '#shared/base/texts/durations.ts';
import { noErrors, validate } from '#shared/base/validation.ts';

const HOUR = 60 * MINUTE;
const field = durationField(0, 400 * DAY);

function read(text: unknown): unknown {
  const errors = noErrors();
  const duration = validate(field, text, { whole: 'every' }, errors);
  return duration ?? errors['every'];
}

describe('a duration', () => {
  it.each([
    ['PT0S', 0],
    ['PT1M', MINUTE],
    ['PT90S', 90 * SECOND],
    ['PT1H30M', 90 * MINUTE],
    ['P1D', DAY],
    ['P1DT12H', 36 * HOUR],
    ['P2W', 14 * DAY],
    ['P1W1DT1H1M1S', 8 * DAY + HOUR + MINUTE + SECOND],
    ['P400D', 400 * DAY],
  ])('%s is read in microseconds', (text, duration) => {
    expect(read(text)).toBe(duration);
    expect(text).toMatch(new RegExp(DURATION_PATTERN, 'u'));
  });

  it.each([
    ['P1M', 'Months and years have no fixed length. Give days instead [input: P1M]'],
    ['P1Y', 'Months and years have no fixed length. Give days instead [input: P1Y]'],
    ['P1Y2DT3H', 'Months and years have no fixed length. Give days instead [input: P1Y2DT3H]'],
    ['-PT1M', 'A duration cannot be negative [input: -PT1M]'],
    ['P401D', 'Should be from PT0S to P400D [input: P401D]'],
    ['P99999999999999999999D', 'Should be from PT0S to P400D [input: P99999999999999999999D]'],
    ...['', 'P', 'PT', 'P1DT', '20m', 'PT1.5M', 'PT20M ', 'pt20m', 'PT-1M', 'PT1M1H', 'P1D2W', '1200'].map((text) => [
      text,
      `Should be an ISO 8601 duration in whole numbers, such as 'PT20M', 'PT36H' or 'P90D' [input: ${text}]`,
    ]),
  ])('%j is refused with its reason', (text, reason) => {
    expect(read(text)).toBe(reason);
  });

  it.each([
    [0, '0 seconds'],
    [1_999_999, '1 second'],
    [90 * DAY, '90 days'],
    [90 * DAY + 5 * MINUTE + SECOND, '90 days 5 minutes'],
    [25 * HOUR + MINUTE, '1 day 1 hour'],
  ])('%d has the words %s', (duration, words) => {
    expect(durationWords(duration)).toBe(words);
  });

  it('the text of a duration has its words', () => {
    expect(wordsOf('PT36H')).toBe('1 day 12 hours');
  });

  it.each([
    [0, 'PT0S'],
    [60 * MINUTE, 'PT1H'],
    [24 * HOUR, 'P1D'],
    [400 * DAY, 'P400D'],
    [8 * DAY + HOUR + SECOND, 'P8DT1H1S'],
  ])('%d has the text %s', (duration, text) => {
    expect(durationText(duration)).toBe(text);
    expect(read(text)).toBe(duration);
  });
});
