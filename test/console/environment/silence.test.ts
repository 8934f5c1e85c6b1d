import { describe, expect, it } from 'vitest';
import { silenceSentence, silenceText, silentSentence } from '#console/environment/model/silence.ts';

const NOW = 1_800_000_000;
const HOUR = 3600;
const silent = (seconds: number, usual = 60) => ({
  silent_since: NOW - seconds,
  silent_members: null,
  usual_report_interval: usual,
});

describe('what is said about silent reporters', () => {
  it.each([
    [26 * HOUR, 60, 'no report for 26 h; usually every minute'],
    [4 * 60, 61, 'no report for 4 min; usually every minute'],
    [20 * 60, 300, 'no report for 20 min; usually every 5 min'],
    [5 * HOUR, 3590, 'no report for 5 h; usually every hour'],
    [9 * HOUR, 2 * HOUR, 'no report for 9 h; usually every 2 h'],
    [4 * 24 * HOUR, 24 * HOUR, 'no report for 4 d; usually every day'],
    [30 * 24 * HOUR, 7 * 24 * HOUR, 'no report for 30 d; usually every 7 d'],
    [2 * 60, 30, 'no report for 2 min; usually every 30 s'],
  ])('names how long, and the usual interval (%#)', (seconds, usual, text) => {
    expect(silenceText(silent(seconds, usual), NOW)).toBe(text);
  });

  it('is nothing if reports come as usual, or if the answer does not tell', () => {
    expect(silenceText({ ...silent(0), silent_since: null }, NOW)).toBeNull();
    expect(silenceText({}, NOW)).toBeNull();
    expect(silenceSentence({}, NOW)).toBe('');
  });

  it('names the members of a logical environment', () => {
    const group = { silent_since: NOW - 26 * HOUR, usual_report_interval: null };
    expect(silenceSentence({ ...group, silent_members: ['edge'] }, NOW)).toBe(' No report from edge for 26 h.');
    expect(silenceSentence({ ...group, silent_members: ['edge', 'jobs'] }, NOW)).toBe(
      ' No report from edge and jobs for up to 26 h.',
    );
  });

  it('names the silent environments of a list, without logical ones', () => {
    const edge = { name: 'edge', type: 'server', ...silent(HOUR) };
    const all = { ...edge, name: 'all', type: 'logical', silent_members: ['edge'] };
    expect(silentSentence([])).toBe('');
    expect(silentSentence([{ name: 'prod', type: 'K8S', silent_since: null }])).toBe('');
    expect(silentSentence([edge, all])).toBe(' edge is silent.');
    expect(silentSentence([edge, { ...edge, name: 'jobs' }, all])).toBe(' edge and jobs are silent.');
  });
});
