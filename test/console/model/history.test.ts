import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ArtifactRun, EnvironmentHistory } from '#functions/console/app/client/environments.ts';
import { csvCell, csvText } from '#functions/console/app/model/csv.ts';
import {
  historyCsv,
  historySentence,
  isoDay,
  namedPeriods,
  periodText,
  verdictsText,
  worstOverTime,
} from '#functions/console/app/model/history.ts';
import { type StateName, worstOf } from '#functions/console/app/model/states.ts';

const at = (text: string): number => Date.parse(text) / 1000;
const period = { from: at('2026-07-01'), to: at('2026-10-01') };

const run = (more: Partial<ArtifactRun> = {}): ArtifactRun => ({
  fingerprint: 'f'.repeat(64),
  name: 'host/web:1',
  from: null,
  to: null,
  state: true,
  verdicts: [{ state: true, from: null, to: null }],
  instances: 1,
  flow_name: 'web',
  trail_name: 'release-1',
  git_commit: 'abc',
  artifact_id: null,
  html_url: null,
  ...more,
});

describe('the sentence of a period', () => {
  const none = { artifacts: 0, runs: 0, always_compliant: 0, non_compliant: 0, unknown: 0, non_compliant_seconds: 0 };
  const sentence = (totals: Partial<typeof none>) =>
    historySentence({
      environment: 'prod',
      start_ts: period.from,
      end_ts: period.to,
      totals: { ...none, ...totals },
    } as EnvironmentHistory);

  it.each([
    ['nothing ran', {}, 'Nothing ran in prod from 1 Jul 2026 to 30 Sept 2026 (UTC).'],
    [
      'all was compliant',
      { artifacts: 3, always_compliant: 3 },
      '3 artifacts ran in prod from 1 Jul 2026 to 30 Sept 2026 (UTC): all were compliant all the time.',
    ],
    [
      'some was not',
      { artifacts: 41, always_compliant: 39, non_compliant: 2, non_compliant_seconds: 11_520 },
      '41 artifacts ran in prod from 1 Jul 2026 to 30 Sept 2026 (UTC): 39 compliant all the time, 2 not compliant for some time. Something that was not compliant ran for 3 h 12 min in total.',
    ],
  ])('says so if %s', (_, totals, text) => {
    expect(sentence(totals)).toBe(text);
  });
});

describe('periods', () => {
  it('name the last day that they contain', () => {
    expect(periodText(period)).toBe('1 Jul 2026 to 30 Sept 2026');
    expect(periodText({ from: at('2026-07-01'), to: at('2026-07-02') })).toBe('1 Jul 2026');
  });

  it('begin and end at midnight UTC, also across the end of a year', () => {
    const found = new Map(
      namedPeriods(at('2026-01-15T13:00:00Z')).map(({ label, from, to }) => [label, [isoDay(from), isoDay(to)]]),
    );
    expect(found.get('Last month')).toEqual(['2025-12-01', '2026-01-01']);
    expect(found.get('Last quarter')).toEqual(['2025-10-01', '2026-01-01']);
    expect(found.get('This month')).toEqual(['2026-01-01', '2026-01-16']);
  });
});

describe('verdicts over time', () => {
  it('are one word if there is one, and else have their lengths', () => {
    expect(verdictsText(run(), period)).toBe('compliant all the time');
    const middle = period.from + 3600;
    const verdicts = [
      { state: false, from: null, to: middle },
      { state: true, from: middle, to: middle + 7200 },
    ];
    expect(verdictsText(run({ verdicts }), period)).toBe('not compliant 1 h, then compliant 2 h');
  });

  it('of all rows show the worst at every instant', () => {
    const verdict = fc
      .tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 1, max: 20 }), fc.constantFrom(true, false, null))
      .map(([from, length, state]) => ({ from, to: from + length, state }));
    fc.assert(
      fc.property(fc.array(verdict, { maxLength: 8 }), (verdicts) => {
        const runs = verdicts.map((one) => run({ verdicts: [one] }));
        const shown = worstOverTime(runs, { from: 0, to: 70 });
        for (let time = 0.5; time < 70; time += 1) {
          const states = verdicts
            .filter(({ from, to }) => from <= time && time < to)
            .map(({ state }) => (state === null ? 'unknown' : state ? 'compliant' : 'non-compliant'));
          const found = shown.filter(({ from, to }) => from <= time && time < to).map(({ state }) => state);
          expect(found).toEqual(states.length === 0 ? [] : [states.reduce<StateName>(worstOf, states[0] ?? 'unknown')]);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('a file for spreadsheets', () => {
  it.each([
    ['=1+1', `"'=1+1"`],
    ['+1', `"'+1"`],
    ['-1', `"'-1"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\t=1', `"'\t=1"`],
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "no"', '"say ""no"""'],
    ['two\nlines', '"two\nlines"'],
    [null, ''],
    [-3, '-3'],
  ])('writes %j as %s', (value, cell) => {
    expect(csvCell(value)).toBe(cell);
  });

  it('ends each row with CR LF', () => {
    expect(
      csvText([
        ['a', 1],
        ['b', null],
      ]),
    ).toBe('a,1\r\nb,\r\n');
  });

  it('has a row for each run, with times in UTC', () => {
    const csv = historyCsv([run({ name: '=cmd', from: at('2026-08-01T10:00:00Z') })], period);
    const [head, row] = csv.split('\r\n');
    expect(head?.split(',')).toHaveLength(11);
    expect(row).toContain(`"'=cmd",${'f'.repeat(64)},2026-08-01T10:00:00.000Z,after the period,Compliant,`);
  });
});
