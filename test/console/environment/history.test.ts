import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  evidencePackage,
  intervalOf,
  isReceipt,
  MOST_RECEIPTS,
  provenSnapshots,
} from '#console/environment/model/evidence-package.ts';
import {
  historyCsv,
  historySentence,
  isoDay,
  namedPeriods,
  periodOf,
  periodText,
  verdictsText,
  worstOverTime,
} from '#console/environment/model/history.ts';
import type { ArtifactRun, EnvironmentHistory } from '#console/environment/operations.ts';
import { type StateName, worstOf } from '#console/model/states.ts';
import { csvCell, csvText } from '#shared/base/texts/csv.ts';

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

describe('the period of an address', () => {
  const now = at('2026-11-23T17:00:00Z');

  it('is the first of the named periods if the address names none', () => {
    const { from, to } = namedPeriods(now)[0] ?? {};
    expect(periodOf({}, now)).toEqual({ from, to });
    // An answer ends with the present instant. Its sentence still names the same days.
    expect(periodText({ from: from ?? 0, to: now })).toBe(periodText({ from: from ?? 0, to: to ?? 0 }));
  });

  it('completes an address that names one side only', () => {
    expect(periodOf({ from: '2026-07-01' }, now)).toEqual({ from: at('2026-07-01'), to: at('2026-11-24') });
    expect(periodOf({ to: '2026-07-29' }, now)).toEqual({ from: at('2026-07-01'), to: at('2026-07-29') });
  });
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
    ['nothing ran', {}, 'Nothing ran in prod from 1 Jul 2026 to 30 Sep 2026 (UTC).'],
    [
      'all was compliant',
      { artifacts: 3, always_compliant: 3 },
      '3 artifacts ran in prod from 1 Jul 2026 to 30 Sep 2026 (UTC): all were compliant all the time.',
    ],
    [
      'some was not',
      { artifacts: 41, always_compliant: 39, non_compliant: 2, non_compliant_seconds: 11_520 },
      '41 artifacts ran in prod from 1 Jul 2026 to 30 Sep 2026 (UTC): 39 compliant all the time, 2 not compliant for some time. Something that was not compliant ran for 3 h 12 min in total.',
    ],
  ])('says so if %s', (_, totals, text) => {
    expect(sentence(totals)).toBe(text);
  });
});

describe('periods', () => {
  it('name the last day that they contain', () => {
    expect(periodText(period)).toBe('1 Jul 2026 to 30 Sep 2026');
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

  it('verdicts of all rows show the worst at every instant', () => {
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
    const allowed = { by: 'ann', at: at('2026-07-31'), description: 'vendor image' };
    const csv = historyCsv(
      [run({ name: '=cmd', from: at('2026-08-01T10:00:00Z'), trail_moments: 7, allowed })],
      period,
    );
    const [head, row] = csv.split('\r\n');
    expect(head?.split(',')).toHaveLength(15);
    expect(row).toContain(`"'=cmd",${'f'.repeat(64)},2026-08-01T10:00:00.000Z,after the period,Compliant,`);
    expect(row).toContain(',abc,7,ann,2026-07-31T00:00:00.000Z,vendor image,');
  });
});

describe('the package of a period', () => {
  type Parts = Parameters<typeof evidencePackage>[0];
  const snapshot = (index: number) => ({ index, from: 0, to: 0, compliant: true, state: true, duration: 0 });
  const snapshots = [snapshot(2), snapshot(1)];

  it('has the rows, the proofs, and the snapshots without proof', () => {
    const text = evidencePackage({
      host: 'https://evidence.example',
      org: 'acme',
      now: at('2026-10-02'),
      history: { environment: 'prod', start_ts: period.from, end_ts: period.to, complete: true } as Parts['history'],
      runs: [run()],
      snapshots,
      proofs: [{ snapshot: 2, receipt: { proof: 'c2sp' } }],
      log: { origin: 'log.example', verifier_keys: [] } as unknown as Parts['log'],
    });
    expect(JSON.parse(text)).toMatchObject({
      format: 'environment-evidence/v1',
      period: { from: '2026-07-01T00:00:00.000Z', to: '2026-10-01T00:00:00.000Z' },
      history: { complete: true, runs: [{ name: 'host/web:1' }] },
      proofs: [{ snapshot: 2, receipt: { proof: 'c2sp' } }],
      snapshots_without_proof: [1],
      log: { origin: 'log.example' },
    });
  });

  it('asks for the snapshots that held in the period, and for the receipts of the newest', () => {
    expect(intervalOf(period)).toBe('@{2026-07-01T00:00:00.000Z}..@{2026-10-01T00:00:00.000Z}');
    const many = Array.from({ length: MOST_RECEIPTS + 1 }, (_, n) => snapshot(n + 1));
    const proven = provenSnapshots(many);
    expect([proven[0], proven.length]).toEqual([MOST_RECEIPTS + 1, MOST_RECEIPTS]);
  });

  it('takes no message for a receipt', () => {
    expect([{ proof: '' }, { message: 'not yet' }, null].map(isReceipt)).toEqual([true, false, false]);
  });
});
