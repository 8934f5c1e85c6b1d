import { describe, expect, it } from 'vitest';
import { listed } from '#console/model/words.ts';
import { gridOf, missingOf, overriddenOf, recalledOf, trailSentence, withSteps } from '#console/trail/model/trail.ts';
import type { Trail } from '#console/trail/operations.ts';

type Entry = Trail['compliance_status']['attestations_statuses'][number];

const entry = (name: string, change: Partial<Entry> = {}): Entry => ({
  attestation_name: name,
  attestation_type: 'generic',
  attestation_id: `id of ${name}`,
  overridden_attestation_id: null,
  status: 'COMPLETE',
  is_compliant: true,
  unexpected: false,
  ...change,
});
const missing = (name: string): Entry => entry(name, { attestation_id: null, status: 'MISSING', is_compliant: null });

type Artifact = Trail['compliance_status']['artifacts_statuses'][string];

const artifact = (entries: Entry[], change: Partial<Artifact> = {}): Artifact => ({
  artifact_fingerprint: 'f'.repeat(64),
  artifact_id: 'a',
  status: 'COMPLIANT',
  is_compliant: true,
  attestations_statuses: entries,
  unexpected: false,
  ...change,
});

it('the steps of a trail are shown only if nothing came to the trail after them', () => {
  // Only what the function compares.
  const head = { last_modified_at: 5, compliance_state: 'INCOMPLETE', events: [{}] } as unknown as Trail;
  const explained = { ...head, reasons: [{ step: 'trail', says: 'run is incomplete' }], reasons_left_out: 1 } as Trail;
  expect(withSteps(head, explained)).toMatchObject({ reasons: explained.reasons, reasons_left_out: 1 });
  for (const change of [{ last_modified_at: 6 }, { compliance_state: 'COMPLIANT' as const }, { events: [] }]) {
    expect(withSteps({ ...head, ...change }, explained)).toMatchObject({ reasons: [], reasons_left_out: 0 });
  }
});

const aTrail = (
  state: Trail['compliance_state'],
  own: Entry[],
  artifacts: Trail['compliance_status']['artifacts_statuses'] = {},
): Trail =>
  ({
    compliance_state: state,
    compliance_status: { attestations_statuses: own, artifacts_statuses: artifacts },
    events: [{ type: 'trail_attestation_reported', timestamp: 5, attestation_id: 'id of lint' }],
  }) as unknown as Trail;

const absent = artifact([missing('sbom')], {
  artifact_fingerprint: null,
  artifact_id: null,
  status: 'MISSING',
  is_compliant: null,
});

describe('the sentence of a trail', () => {
  it.each<[string, Trail]>([
    [
      'Compliant: everything that the template asks for is there and passed (1 of 1).',
      aTrail('COMPLIANT', [entry('lint')]),
    ],
    ['Compliant: the template asks for nothing, and nothing failed.', aTrail('COMPLIANT', [])],
    [
      'Compliant: the template asks for nothing, and nothing of 1 report failed.',
      aTrail('COMPLIANT', [entry('lint', { unexpected: true })]),
    ],
    [
      'Compliant: everything that the template asks for is there and passed (1 of 1). 1 verdict was overridden.',
      aTrail('COMPLIANT', [entry('snyk', { overridden_attestation_id: 'x' })]),
    ],
    [
      'Incomplete: review and app / sbom are missing (2 of 3).',
      aTrail('INCOMPLETE', [missing('review'), entry('lint')], { app: artifact([missing('sbom')]) }),
    ],
    [
      'Incomplete: artifact app and app / sbom are missing (2 of 3).',
      aTrail('INCOMPLETE', [entry('lint')], { app: absent }),
    ],
    [
      'Not compliant: app / unit failed; review is missing (1 of 2).',
      aTrail('NON-COMPLIANT', [missing('review')], { app: artifact([entry('unit', { is_compliant: false })]) }),
    ],
    ['Not compliant: an artifact was reported as not compliant.', aTrail('NON-COMPLIANT', [entry('lint')])],
  ])('is «%s»', (sentence, trail) => {
    expect(trailSentence(trail)).toBe(sentence);
  });
});

it('the sentence of a trail quotes the last step about what failed, and not what is missing', () => {
  const step = (says: string, saw: string | null) => ({
    ...{ step: 'slot' as const, name: says, says, saw, html_url: '', compliant: false },
  });
  const steps = [
    step('RCTL-2 denied: line 5', null),
    step('run lacks `review`', 'missing'),
    step('`unit` failed', null),
  ];
  const trail = {
    ...aTrail('NON-COMPLIANT', [entry('verdict', { is_compliant: false }), missing('review')]),
    reasons: steps,
  };
  expect(trailSentence(trail)).toBe(
    'Not compliant: RCTL-2 denied: line 5 (and 1 other failure); review is missing (1 of 2).',
  );
});

describe('the grid of a trail', () => {
  it('has a row for each name and a column for the trail and each artifact', () => {
    const trail = aTrail('INCOMPLETE', [entry('lint')], {
      app: artifact([entry('sbom'), entry('unit')]),
      worker: artifact([missing('sbom')]),
    });
    const { scopes, rows } = gridOf(trail);
    expect(scopes.map(({ name }) => name)).toEqual([null, 'app', 'worker']);
    expect(rows.map(({ name, slots }) => [name, ...slots.map((cell) => cell.map(({ state }) => state))])).toEqual([
      ['lint', ['compliant'], [], []],
      ['sbom', [], ['compliant'], ['missing']],
      ['unit', [], ['compliant'], []],
    ]);
  });

  it('keeps both reports of a name that came with two types, and the time of a report', () => {
    const twice = [entry('lint', { attestation_type: 'junit', unexpected: true }), entry('lint')];
    const [row] = gridOf(aTrail('COMPLIANT', twice)).rows;
    expect(row?.slots[0]?.map(({ type, at }) => [type, at])).toEqual([
      ['junit', 5],
      ['generic', 5],
    ]);
  });

  it('has no column for the trail if nothing is asked of it', () => {
    expect(gridOf(aTrail('COMPLIANT', [], { app: artifact([entry('unit')]) })).scopes).toHaveLength(1);
  });

  it('shows an override that fails as a failure, and one that passes as overridden', () => {
    const overrides = [
      entry('a', { overridden_attestation_id: 'x', is_compliant: false }),
      entry('b', { overridden_attestation_id: 'y' }),
    ];
    const trail = aTrail('NON-COMPLIANT', overrides);
    expect(overriddenOf(trail).map(({ state }) => state)).toEqual(['non-compliant', 'overridden']);
  });

  it('takes names that objects have already', () => {
    const artifacts = Object.fromEntries([['__proto__', artifact([missing('constructor')])]]);
    expect(missingOf(aTrail('INCOMPLETE', [], artifacts))).toEqual([
      { scope: '__proto__', name: 'constructor', type: 'generic', fingerprint: 'f'.repeat(64) },
    ]);
  });
});

it('a list of names is cut off after four', () => {
  expect(listed([])).toBe('');
  expect(listed(['a'])).toBe('a');
  expect(listed(['a', 'b', 'c', 'd'])).toBe('a, b, c and d');
  expect(listed(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c and 2 more');
});

describe('what was recalled of a trail', () => {
  const recalled = (id: string) => ({
    ...{ attestation_name: 'build', attestation_type: 'provenance', attestation_id: id },
    recalls: [
      { name: 'later', version: 1, since: 9 },
      { name: 'leak', version: 2, since: 7 },
    ],
  });

  it('has the evidence of artifacts and of the trail, once each, with its recalls', () => {
    const trail = aTrail('INCOMPLETE', [], { app: artifact([], { recalled: [recalled('a')] }) });
    const { compliance_status: status } = trail;
    const both = { ...trail, compliance_status: { ...status, recalled: [recalled('a'), recalled('b')] } };
    expect(recalledOf(both).map(({ id, scope, since, recalls }) => [id, scope, since, recalls])).toEqual([
      ['a', 'app', 7, ['later', 'leak']],
      ['b', null, 7, ['later', 'leak']],
    ]);
    expect(recalledOf(aTrail('COMPLIANT', [entry('review')], { app: artifact([]) }))).toEqual([]);
  });

  it('marks the slot whose newer evidence was recalled', () => {
    const { rows } = gridOf(aTrail('INCOMPLETE', [{ ...missing('build'), recalled: recalled('a') }]));
    expect(rows[0]?.slots[0]?.[0]).toMatchObject({ state: 'missing', seals: ['recalled'] });
  });
});
