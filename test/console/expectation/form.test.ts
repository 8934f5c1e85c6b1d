import { describe, expect, it } from 'vitest';
import { dryRunLines } from '#console/expectation/model/dry-run.ts';
import {
  bodyOf,
  checkValues,
  errorPlace,
  evidenceOf,
  hasField,
  kindOf,
  startText,
} from '#console/expectation/model/form.ts';
import type { DryRun } from '#console/expectation/operations.ts';

const FILLED = {
  environments: ['edge'],
  flows: ['web'],
  tags: '',
  evidence_by: 'name' as const,
  evidence: '',
  per: 'flow' as const,
  control: '',
  every: '20 min',
  grace: '',
  due_soon: '',
  starts_at: '',
  owner: '',
  severity: 'warning' as const,
};
const edge = { name: 'edge', kind: 'reports' as const };

describe('the form of an expectation', () => {
  it('sends durations as the API takes them, and leaves out what is empty', () => {
    expect(bodyOf(edge, FILLED)).toEqual({
      name: 'edge',
      kind: 'reports',
      scope: { environments: ['edge'] },
      every: 'PT20M',
      severity: 'warning',
    });
    const tagged = { environments: [], tags: 'tier = 1', grace: '2 min', owner: ' web ', starts_at: '2026-07-01' };
    expect(bodyOf(edge, { ...FILLED, ...tagged })).toMatchObject({
      scope: { tags: { tier: '1' } },
      grace: 'PT2M',
      owner: 'web',
      starts_at: 1_782_864_000,
    });
  });

  it('sends of each kind what the kind has, whatever other fields hold', () => {
    const held = { ...FILLED, evidence_by: 'type' as const, evidence: ' snyk ', control: 'RCTL-1' };
    expect(bodyOf(edge, { ...FILLED, due_soon: '5 min' })).toMatchObject({ due_soon: 'PT5M' });
    const sent = (kind: Parameters<typeof bodyOf>[0]['kind']) => bodyOf({ name: 'one', kind }, held);
    expect(sent('evidence')).toMatchObject({ scope: { flows: ['web'] }, evidence: { type: 'snyk' }, per: 'flow' });
    expect(sent('evidence')).not.toHaveProperty('control');
    expect(sent('decision')).toMatchObject({ scope: { environments: ['edge'] }, control: 'RCTL-1' });
    for (const kind of ['activity', 'completion', 'reports'] as const) {
      expect(Object.keys(sent(kind)).toSorted()).toEqual(['every', 'kind', 'name', 'scope', 'severity']);
    }
    expect(
      ['environments', 'flows', 'evidence', 'per', 'control', 'every'].filter((one) => hasField('decision', one)),
    ).toEqual(['environments', 'control', 'every']);
  });

  it('begins with what a present expectation says', () => {
    expect(kindOf({ kind: 'decision' })).toBe('decision');
    expect(kindOf(undefined)).toBe('reports');
    expect(evidenceOf({ evidence: { control: 'RCTL-1' } })).toEqual({ by: 'control', value: 'RCTL-1' });
    expect(evidenceOf({ evidence: { type: 'snyk' } })).toEqual({ by: 'type', value: 'snyk' });
    expect(evidenceOf({})).toEqual({ by: 'name', value: '' });
  });

  it('says at the field what is missing', () => {
    const problems = (values: object) => checkValues('reports', { ...FILLED, ...values });
    expect(problems({})).toEqual({});
    expect(problems({ environments: [] })).toEqual({ environments: 'Name environments, or give tags.' });
    expect(problems({ tags: 'tier = 1' })).toEqual({ tags: 'Name environments or give tags, not both.' });
    expect(problems({ environments: [], tags: 'tier' })).toHaveProperty('tags');
    expect(problems({ starts_at: 'yesterday' })).toHaveProperty('starts_at');
    expect(checkValues('activity', { ...FILLED, flows: [] })).toEqual({ flows: 'Name flows, or give tags.' });
  });

  it('puts errors of the API at their fields', () => {
    expect(errorPlace('scope.environments[2]')).toEqual({ field: 'environments', item: 2 });
    expect(errorPlace('scope.flows[0]')).toEqual({ field: 'flows', item: 0 });
    expect(errorPlace('scope.environments')).toEqual({ field: 'environments' });
    expect(errorPlace('scope.tags.tier')).toEqual({ field: 'tags' });
    expect(errorPlace('evidence.type')).toEqual({ field: 'evidence' });
    expect(errorPlace('every')).toBeUndefined();
  });

  it('leaves a start that nobody changed to the service', () => {
    const present = { starts_at: 1_782_864_000.123 };
    const unchanged = { ...FILLED, starts_at: startText(present) };
    expect(bodyOf(edge, unchanged, present)).not.toHaveProperty('starts_at');
    expect(bodyOf(edge, { ...unchanged, starts_at: '2026-07-01' }, present)).toHaveProperty('starts_at', 1_782_864_000);
  });
});

describe('the answer of a dry run in words', () => {
  const UNTIL = Date.parse('2026-11-28T00:00:00Z') / 1000;
  const missed = (hours: number): DryRun['gaps'][number] => ({
    subject: { type: 'environment', environment: 'edge' },
    certainty: 'exact',
    from: UNTIL - hours * 3600,
    until: UNTIL - (hours - 2) * 3600,
    seconds: 7200,
  });
  const answer = (given: Partial<DryRun> = {}): DryRun => ({
    from: UNTIL - 90 * 86_400,
    until: UNTIL,
    subjects: 5,
    subjects_with_gaps_at_least: 0,
    exact: true,
    gaps_at_least: 0,
    messages_at_least: { missed: 0, met_again: 0 },
    gaps: [],
    unknown_intervals: 0,
    unknown: [],
    ...given,
  });

  it('counts how often it would have missed, and the messages', () => {
    const three = { gaps_at_least: 3, messages_at_least: { missed: 3, met_again: 3 }, subjects_with_gaps_at_least: 1 };
    expect(dryRunLines(answer({ ...three, gaps: [missed(3), missed(9), missed(20)] }))).toEqual([
      'It would have missed 3 times in 90 days: 6 messages. 1 of 5 subjects had a gap.',
      'edge: 2 h, from 27 Nov, 21:00 UTC',
      'edge: 2 h, from 27 Nov, 15:00 UTC',
      'edge: 2 h, from 27 Nov, 04:00 UTC',
    ]);
  });

  it('names a few and says how many there are besides, and what lasts', () => {
    const gaps = Array.from({ length: 7 }, (_, n) => missed(3 + n));
    const lines = dryRunLines(answer({ gaps, gaps_at_least: 7, messages_at_least: { missed: 7, met_again: 6 } }));
    expect(lines).toHaveLength(7);
    expect(lines.at(-1)).toBe('2 more');
    const open = { ...missed(3), until: null };
    expect(dryRunLines(answer({ gaps: [open], gaps_at_least: 1 }))[1]).toContain(', and it lasts');
  });

  it('never calls something certain that nobody knows', () => {
    expect(dryRunLines(answer())).toEqual(['It would not have missed in 90 days: no messages.']);
    const lines = dryRunLines(answer({ exact: false, unknown_intervals: 2 }));
    expect(lines[0]).toBe('Nothing is known that it would have missed in 90 days.');
    expect(lines[1]).toContain('In 2 intervals nobody knows');
    expect(dryRunLines(answer({ exact: false, gaps_at_least: 1, gaps: [missed(3)] }))[0]).toContain(
      'missed at least once in 90 days: at least 0 messages',
    );
    expect(dryRunLines(answer({ subjects: 0 }))[0]).toContain('Nothing is in its scope now');
  });
});
