import { describe, expect, it } from 'vitest';
import { flowDays, flowDaysSentence } from '#console/flow/model/flow-days.ts';
import {
  cellsOf,
  flowSentence,
  foldedGroups,
  groupsOf,
  MOST_COLUMNS,
  reasonOf,
} from '#console/flow/model/flow-grid.ts';
import type { TrailSummary } from '#console/trail/operations.ts';

type Slot = NonNullable<TrailSummary['slots']>[number];

const slot = (scope: string | null, name: string, rest: Partial<Slot> = {}): Slot => ({
  artifact_name: scope,
  attestation_name: name,
  attestation_type: 'generic',
  attestation_id: `${scope} ${name}`,
  overridden_attestation_id: null,
  status: 'COMPLETE',
  is_compliant: true,
  unexpected: false,
  ...rest,
});
const MISSING = { status: 'MISSING', is_compliant: null, attestation_id: null } as const;
const FAILED = { is_compliant: false } as const;

const trail = (name: string, word: TrailSummary['compliance_state'], slots: Slot[]): TrailSummary =>
  ({ name, compliance_state: word, last_modified_at: Number(name), slots, artifacts: [] }) as unknown as TrailSummary;

describe('groupsOf', () => {
  it('puts the trail first, and what no template asks for last', () => {
    const groups = groupsOf([
      trail('2', 'COMPLIANT', [slot('app', 'load', { unexpected: true }), slot('app', 'sbom'), slot(null, 'review')]),
      trail('1', 'COMPLIANT', [slot('app', 'unit'), slot('worker', 'unit')]),
    ]);
    expect(groups.map(({ scope, columns }) => [scope, columns.map(({ name }) => name)])).toEqual([
      [null, ['review']],
      ['app', ['sbom', 'unit', 'load']],
      ['worker', ['unit']],
    ]);
  });

  it('has a group for an artifact without attestations', () => {
    const artifact = { artifact_name: 'app', status: 'MISSING' };
    const groups = groupsOf([{ ...trail('1', 'INCOMPLETE', []), artifacts: [artifact] } as unknown as TrailSummary]);
    expect(groups).toEqual([{ scope: 'app', columns: [] }]);
  });
});

describe('foldedGroups', () => {
  const names = Array.from({ length: MOST_COLUMNS + 3 }, (_, n) => `check-${n}`);
  const last = names.at(-1) ?? '';

  it('keeps the columns in which something is missing, in their order', () => {
    const trails = [
      trail(
        '1',
        'INCOMPLETE',
        names.map((name) => slot(null, name, name === last ? MISSING : {})),
      ),
    ];
    const { groups, folded } = foldedGroups(groupsOf(trails), trails);
    expect(folded).toBe(3);
    expect(groups[0]?.columns.map(({ name }) => name)).toEqual([...names.slice(0, MOST_COLUMNS - 1), last]);
  });

  it('folds nothing if all columns have room', () => {
    const trails = [trail('1', 'COMPLIANT', [slot(null, 'review')])];
    expect(foldedGroups(groupsOf(trails), trails).folded).toBe(0);
  });
});

describe('cellsOf', () => {
  it('holds several reports of one name with different types', () => {
    const one = trail('1', 'COMPLIANT', [slot('app', 'scan'), slot('app', 'scan', { attestation_type: 'snyk' })]);
    const [column] = groupsOf([one]).flatMap(({ columns }) => columns);
    expect(cellsOf(one).get(column?.key ?? '')).toHaveLength(2);
  });
});

describe('reasonOf', () => {
  it.each([
    [[slot(null, 'review', MISSING)], 'review is missing'],
    [
      [slot('app', 'unit', FAILED), slot('app', 'sbom', MISSING), slot(null, 'review', MISSING)],
      'app / unit failed; app / sbom and review are missing',
    ],
    [[slot(null, 'review')], ''],
  ])('names what is wrong', (slots, reason) => {
    expect(reasonOf(trail('1', 'INCOMPLETE', slots))).toBe(reason);
  });
});

describe('flowSentence', () => {
  const open = trail('2', 'INCOMPLETE', [slot(null, 'review', MISSING)]);
  const good = trail('1', 'COMPLIANT', [slot(null, 'review')]);

  it('is about the trail that was reported last', () => {
    expect(flowSentence([open, good], 2)).toBe(
      'The latest trail, 2, is incomplete: review is missing. Of 2 trails: 1 incomplete, 1 compliant.',
    );
    expect(flowSentence([{ ...open, last_modified_at: 0 }, good], 2)).toMatch(/^The latest trail, 1, is compliant\./);
  });

  it('says that it counts the newest trails only', () => {
    expect(flowSentence([good, open], 1200)).toContain('Of the newest 2 of 1,200 trails: ');
  });

  it('says that there is none', () => {
    expect(flowSentence([], 0)).toBe('No trail was reported yet.');
  });
});

describe('the days of a flow', () => {
  const DAY = 86_400;
  const first = Date.UTC(2026, 10, 20) / 1000;
  const day = (n: number, compliant: number, incomplete = 0, non_compliant = 0) => ({
    date: `2026-11-${20 + n}`,
    timestamp: first + n * DAY,
    compliant,
    incomplete,
    non_compliant,
  });
  const trails = (total: number, from: number, ...days: ReturnType<typeof day>[]) => ({
    total,
    median_per_day: 1,
    counted_from: from,
    days,
  });

  it('show the worst state of each day', () => {
    const shown = flowDays(trails(6, first, day(0, 2), day(1, 1, 1), day(2, 1, 0, 1), day(3, 0)));
    expect(shown.map(({ state }) => state)).toEqual(['compliant', 'incomplete', 'non-compliant', null]);
    expect(shown.map(({ label }) => label)).toEqual([
      '20 Nov 2026: 2 compliant',
      '21 Nov 2026: 1 incomplete, 1 compliant',
      '22 Nov 2026: 1 not compliant, 1 compliant',
      '23 Nov 2026: no trail',
    ]);
  });

  it('are unknown where not every trail was counted, unless one failed', () => {
    const shown = flowDays(trails(900, first + 2 * DAY + 60, day(0, 0), day(1, 0, 0, 1), day(2, 3), day(3, 1)));
    expect(shown.map(({ state }) => state)).toEqual(['unknown', 'non-compliant', 'unknown', 'compliant']);
    expect(shown[0]?.label).toBe('20 Nov 2026: not counted');
  });

  it.each([
    [
      trails(3, first, day(0, 2), day(1, 0, 1)),
      '3 trails in 2 days: 1 incomplete, 2 compliant. About 1.5 trails per day.',
    ],
    [trails(0, first, day(0, 0)), 'No trail began in 1 day.'],
    [
      trails(900, first + DAY + 60, day(0, 0), day(1, 2)),
      '900 trails in 2 days. The newest 2, since 21 Nov 2026: 2 compliant.',
    ],
  ])('are summed up', (given, sentence) => {
    expect(flowDaysSentence(given)).toBe(sentence);
  });
});
