import { describe, expect, it } from 'vitest';
import { holesOf } from '#console/environment/presence/holes.ts';
import {
  eventsOfGap,
  gapListSentence,
  gapSentence,
  gapStretches,
  stateOfGap,
  subjectText,
} from '#console/expectation/model/gaps.ts';
import type { Gap } from '#console/expectation/operations.ts';

const HOUR = 3_600;
const NOW = 1_800_000_000;

const gap = (given: Partial<Gap> = {}): Gap => ({
  id: 'g1',
  expectation: 'alive',
  expectation_version: 1,
  kind: 'reports',
  severity: 'warning',
  owner: null,
  subject: { type: 'environment', environment: 'edge' },
  state: 'open',
  from: NOW - 26 * HOUR,
  detected_at: NOW - 25 * HOUR,
  until: null,
  ended: null,
  last_before: null,
  first_after: null,
  unknown_seconds: 0,
  explanation: null,
  html_url: null,
  ...given,
});

describe('a gap', () => {
  it.each([
    [{ type: 'environment', environment: 'edge' }, 'edge'],
    [{ type: 'flow', flow: 'api' }, 'api'],
    [{ type: 'trail', flow: 'api', trail: 'release-1' }, 'release-1 of api'],
    [{ type: 'artifact', environment: 'prod', fingerprint: 'f'.repeat(64), name: 'r.example/web:1' }, 'web:1 in prod'],
    [{ type: 'artifact', environment: 'prod', fingerprint: 'f'.repeat(64), name: '' }, 'ffffffff in prod'],
    [{ type: 'scope' }, 'the whole scope'],
  ] as const)('names %j as %s', (subject, text) => {
    expect(subjectText(subject)).toBe(text);
  });

  it('says what did not come, for how long, and whether it lasts', () => {
    expect(gapSentence(gap(), NOW)).toBe('No report of edge for 1 d 2 h, and it lasts.');
    const ended = gap({ state: 'closed', until: NOW - HOUR, ended: 'arrived' });
    expect(gapSentence(ended, NOW)).toBe('No report of edge for 1 d 1 h. It ended when it came.');
    const changed = gap({ state: 'excused', until: NOW, ended: 'changed', subject: { type: 'flow', flow: 'api' } });
    expect(gapSentence({ ...changed, kind: 'activity' }, NOW)).toBe(
      'No new trail in api for 1 d 2 h. It ended because the expectation was changed or archived. Somebody explained it.',
    );
  });

  it('blames nobody for a time in which the service itself did not run', () => {
    const unknown = gap({ state: 'unknown', until: NOW, unknown_seconds: 2 * HOUR });
    expect(gapSentence(unknown, NOW)).toContain('the service itself did not run for 2 h of it');
    expect(stateOfGap(unknown)).toBe('unknown');
    const late = gap({ state: 'unknown', unknown_seconds: 0 });
    expect(gapSentence({ ...late, until: NOW }, NOW)).toBe(
      'What was expected of edge came in time, but the service itself saw it late. So it counts for nobody.',
    );
  });
});

describe('what a gap fired', () => {
  const fired = (given: Partial<Gap>) => eventsOfGap(gap(given)).map(({ trigger }) => trigger);

  it('is that it began, and that something came', () => {
    expect(fired({})).toEqual(['ON_EXPECTATION_MISSED']);
    expect(fired({ state: 'closed', ended: 'arrived' })).toEqual(['ON_EXPECTATION_MISSED', 'ON_EXPECTATION_MET_AGAIN']);
    expect(fired({ state: 'closed', ended: 'changed' })).toEqual(['ON_EXPECTATION_MISSED']);
  });

  it('is nothing for a time in which the service did not run', () => {
    expect(fired({ state: 'unknown', unknown_seconds: HOUR })).toEqual([]);
    expect(fired({ state: 'unknown', unknown_seconds: 0, until: NOW, ended: 'arrived' })).toHaveLength(2);
  });
});

describe('the list of gaps', () => {
  it('says how many last, and that it is a part if there are more', () => {
    expect(gapListSentence([], false, false)).toContain('Nothing');
    expect(gapListSentence([], false, true)).toBe('No gap fits the filter.');
    expect(gapListSentence([gap()], false, false)).toBe('1 of 1 gap lasts.');
    expect(gapListSentence([gap(), gap({ state: 'closed' })], true, false)).toBe('1 of the newest 2 gaps lasts.');
    expect(gapListSentence([gap({ state: 'closed' })], false, false)).toBe('None of 1 gap lasts.');
  });
});

describe('the strip of gaps', () => {
  const stretches = (gaps: Gap[], since = NOW - 100 * HOUR) =>
    gapStretches(gaps, { from: NOW - 48 * HOUR, to: NOW, since }).map(({ state, from, to }) => [
      state,
      (from - NOW) / HOUR,
      (to - NOW) / HOUR,
    ]);

  it('has the holes, and what lies between them', () => {
    const ended = gap({ id: 'g2', state: 'closed', from: NOW - 40 * HOUR, until: NOW - 39 * HOUR });
    expect(stretches([gap(), ended])).toEqual([
      ['met', -48, -40],
      ['missed', -40, -39],
      ['met', -39, -26],
      ['missed', -26, 0],
    ]);
  });

  it('shows nothing before anything was expected, and nothing where the service did not run', () => {
    const unknown = gap({ state: 'unknown', from: NOW - 10 * HOUR, until: NOW - 5 * HOUR });
    expect(stretches([unknown], NOW - 20 * HOUR)).toEqual([
      ['met', -20, -10],
      ['met', -5, 0],
    ]);
  });

  it('covers what is right by what is wrong, if gaps overlap, and cuts at the edges', () => {
    const long = gap({ state: 'excused', from: NOW - 90 * HOUR, until: NOW - 20 * HOUR });
    const inside = gap({ id: 'g2', state: 'closed', from: NOW - 30 * HOUR, until: NOW - 25 * HOUR });
    expect(stretches([inside, long])).toEqual([
      ['excused', -48, -20],
      ['missed', -30, -25],
      ['met', -20, 0],
    ]);
  });
});

describe('gaps on an axis that shows other things too', () => {
  it('end now if they last, say which expectation missed what, and are those of reports', () => {
    const ended = gap({ id: 'g2', state: 'excused', until: NOW - HOUR });
    const others = [gap({ id: 'g3', unreadable: true }), gap({ id: 'g4', kind: 'decision' })];
    expect(holesOf([gap(), ended, ...others], NOW)).toEqual([
      { key: 'g1', from: NOW - 26 * HOUR, to: NOW, state: 'missed', text: 'missed for 1 d 2 h by alive' },
      { key: 'g2', from: NOW - 26 * HOUR, to: NOW - HOUR, state: 'excused', text: 'excused for 1 d 1 h by alive' },
    ]);
  });
});
