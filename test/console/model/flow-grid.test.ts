import { describe, expect, it } from 'vitest';
import type { TrailSummary } from '#functions/console/app/client/trails.ts';
import {
  cellsOf,
  flowSentence,
  foldedGroups,
  groupsOf,
  MOST_COLUMNS,
  reasonOf,
} from '#functions/console/app/model/flow-grid.ts';

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
