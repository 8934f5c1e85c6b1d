import { describe, expect, it } from 'vitest';
import {
  exposurePeriod,
  exposureSentence,
  exposureState,
  type Found,
  foundIn,
  lanesOf,
} from '#console/component/model/exposure.ts';
import type { ExposedArtifact, Exposure, UnknownArtifact } from '#console/component/operations.ts';

type Run = ExposedArtifact['environments'][number]['runs'][number];

const run = (from: number | null, to: number | null): Run => ({
  from,
  from_snapshot: 1,
  to,
  to_snapshot: to === null ? null : 2,
  compliant: null,
});

const where = (environment: string, ...runs: Run[]): ExposedArtifact['environments'][number] => ({
  environment,
  type: 'K8S',
  tags: {},
  running: runs.at(-1)?.to === null,
  since: null,
  compliant: null,
  runs,
  has_earlier: false,
});

const row = (name: string, ...environments: ExposedArtifact['environments']): ExposedArtifact => ({
  attestation_id: `sbom-of-${name}`,
  attestation_name: 'sbom',
  flow_name: 'web',
  trail_name: 'release-1',
  html_url: '',
  reported_at: 100,
  format: null,
  grade: null,
  signer: null,
  components: [],
  artifact: { fingerprint: name.padEnd(64, '0'), name, commit: null },
  environments,
  statements: [],
  statement_count: 0,
});

const unknown: UnknownArtifact = {
  environment: 'edge',
  type: 'server',
  tags: {},
  snapshot_index: 1,
  name: 'cache',
  fingerprint: 'f'.repeat(64),
  compliant: null,
  kind: 'none',
  why: 'No SBOM was reported',
};

const page = (rows: Partial<Exposure>): Exposure => ({
  question: { package: 'pkg:npm/x', purl: 'pkg:npm/x', versions: null, vulnerability: null, as_of: 1_000 },
  affected: [],
  not_affected: [],
  undecided: [],
  recalled: [],
  not_known: [],
  next_cursor: null,
  ...rows,
});
const found = (rows: Partial<Exposure>): Found => foundIn([page(rows)]);
const NOW = { isComplete: true, isPast: false };
const PART = { isComplete: false, isPast: false };

describe('the exposure of a component', () => {
  it('has the rows of all pages, those that run first', () => {
    const pages = [
      page({ affected: [row('never'), row('past', where('prod', run(200, 300)))] }),
      page({ affected: [row('now', where('prod', run(400, null)))] }),
    ];
    expect(foundIn(pages).affected.map(({ artifact }) => artifact.name)).toEqual(['now', 'past', 'never']);
  });

  it('is affected as soon as something with it runs, and absent only if nothing is left out', () => {
    const runs = found({ affected: [row('a', where('prod', run(1, null)))] });
    const ran = found({ affected: [row('a', where('prod', run(1, 2)))] });
    expect([exposureState(runs, NOW), exposureState(runs, PART)]).toEqual(['affected', 'affected']);
    expect([exposureState(ran, NOW), exposureState(ran, PART)]).toEqual(['stopped', 'unknown']);
    expect([exposureState(found({}), NOW), exposureState(found({}), PART)]).toEqual(['absent', 'unknown']);
    expect(exposureState(found({ not_known: [unknown] }), NOW)).toBe('unknown');
    expect(exposureState(found({ undecided: [row('a', where('prod', run(1, null)))] }), NOW)).toBe('unknown');
  });

  it('says what is said not to be affected, which does not make it absent', () => {
    const cleared = found({ not_affected: [row('a', where('prod', run(1, null)))] });
    expect(exposureState(cleared, NOW)).toBe('not-affected');
    expect(exposureSentence(cleared, NOW)).toBe('1 artifact with it is said not to be affected.');
    const both = found({ affected: [row('b', where('prod', run(1, null)))], not_affected: [row('a')] });
    expect(exposureState(both, NOW)).toBe('affected');
    expect(exposureSentence(both, NOW)).toContain('in prod. 1 artifact with it is said not to be affected.');
  });

  it('says where it runs, what ran before, and what nobody knows', () => {
    const all = found({
      affected: [
        row('a', where('prod', run(1, null)), where('staging', run(1, 2))),
        row('b', where('eu-prod', run(1, null))),
        row('b', where('eu-prod', run(1, null))),
        row('c', where('prod', run(1, 2))),
      ],
      undecided: [row('d')],
      not_known: [unknown, { ...unknown, environment: 'jobs' }],
    });
    expect(exposureSentence(all, NOW)).toBe(
      '2 artifacts with it run in eu-prod and prod. 1 artifact with it ran before. ' +
        'Of 1 artifact nobody can say whether the version is meant. Nobody knows the components of 1 artifact that runs.',
    );
    expect(
      exposureSentence(found({ affected: [row('a', where('prod', run(1, null)))] }), { ...NOW, isPast: true }),
    ).toBe('1 artifact with it ran in prod.');
    expect(exposureSentence(found({ affected: [row('a', where('prod', run(1, 2)))] }), NOW)).toBe(
      '1 artifact with it ran before, and none runs now.',
    );
    expect(exposureSentence(found({ affected: [row('a'), row('b')] }), NOW)).toBe('2 artifacts with it never ran.');
  });

  it('never says that nothing holds it while a page is missing', () => {
    expect(exposureSentence(found({}), NOW)).toBe('No SBOM that counts lists it.');
    expect(exposureSentence(found({}), PART)).toBe(
      'No SBOM of those that were read lists it. The answer is not complete yet.',
    );
  });

  it('is drawn as a lane for each environment, those where it runs first', () => {
    const all = found({
      affected: [row('a', where('b-past', run(300, 400)), where('c-now', run(null, 250), run(500, null)))],
      undecided: [row('d', where('a-unsure', run(600, null)))],
    });
    const period = exposurePeriod(all, 1_000);
    expect(period).toEqual({ from: 100, to: 1_000 });
    expect(lanesOf(all, period)).toEqual([
      {
        environment: 'c-now',
        intervals: [
          { from: 100, to: 250, state: 'affected' },
          { from: 500, to: 1_000, state: 'affected' },
        ],
      },
      { environment: 'a-unsure', intervals: [{ from: 600, to: 1_000, state: 'undecided' }] },
      { environment: 'b-past', intervals: [{ from: 300, to: 400, state: 'affected' }] },
    ]);
    expect(exposurePeriod(found({}), 1_000)).toEqual({ from: 940, to: 1_000 });
  });
});
