import { describe, expect, it } from 'vitest';
import type { EvidenceRow } from '#console/release/model/artifact-evidence.ts';
import { laneText, releaseLane } from '#console/release/model/release-lane.ts';
import type { Artifact } from '#console/release/operations.ts';

/** The id of a record that was made at an instant, in seconds. */
const idAt = (seconds: number): string => {
  const digits = (seconds * 1000).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-00000000`;
};
const row = (name: string, state: EvidenceRow['state'], at: number | null): EvidenceRow => ({
  key: name,
  name,
  type: 'generic',
  ofTrail: false,
  state,
  attestation: at === null ? null : idAt(at),
  unexpected: false,
  seals: [],
});
const start = (env: string, at: number) => ({ event: `Started running in ${env}#1 environment`, timestamp: at });
const stop = (env: string, at: number) => ({ event: `No longer running in ${env}#2 environment`, timestamp: at });

const NOW = 10_000;
const ARTIFACT = {
  git_commit: 'c'.repeat(40),
  git_commit_info: { timestamp: 1000, message: 'Fix it\n\nmore', author: 'Ann <ann@shop.example>' },
  created_at: 1600,
  created_by: 'ci',
  history: [start('staging', 3000), start('prod', 8200)],
};
// The other fields of an artifact play no part in the lane.
const laneOf = (more: object, rows: readonly EvidenceRow[] = [row('unit', 'compliant', 2000)]) =>
  releaseLane({ ...ARTIFACT, ...more } as unknown as Artifact, rows, NOW);
const shortly = (steps: ReturnType<typeof laneOf>) => steps.map(({ title, at, after }) => [title, at, after]);

describe('the way of an artifact', () => {
  it('has commit, build, evidence and environments, with the time between them', () => {
    const steps = laneOf({});
    expect(shortly(steps)).toEqual([
      ['commit', 1000, null],
      ['build', 1600, 600],
      ['evidence', 2000, 400],
      ['staging', 3000, 1000],
      ['prod', 8200, 5200],
    ]);
    expect(steps.map(({ says }) => says)).toEqual([
      'Fix it, by Ann',
      'reported by ci',
      'all 1 there',
      'runs for 1 h 56 min',
      'runs for 30 min',
    ]);
    expect(laneText(steps)).toBe('From the commit to staging 33 min, prod 2 h.');
  });

  it('begins with the build if nobody told when the commit was', () => {
    const steps = laneOf({ git_commit: '', git_commit_info: null });
    expect(shortly(steps).slice(0, 2)).toEqual([
      ['commit', null, null],
      ['build', 1600, null],
    ]);
    expect(steps[0]?.says).toBe('The report names no commit.');
    expect(laneText(steps)).toBe('From the build to staging 23 min, prod 1 h 50 min.');
  });

  it('says that it runs nowhere, and no time', () => {
    const steps = laneOf({ history: [] });
    expect(steps.at(-1)).toMatchObject({ title: 'no environment', at: null, after: null });
    expect(laneText(steps)).toBe('');
  });

  it('names what is missing and what failed, and shows evidence where it came', () => {
    const late = laneOf({}, [row('review', 'missing', null), row('unit', 'compliant', 5000)]);
    expect(late.map(({ title }) => title)).toEqual(['commit', 'build', 'staging', 'evidence', 'prod']);
    expect(late[3]).toMatchObject({ state: 'missing', says: '1 of 2 missing: review', after: 2000 });
    const failed = laneOf(
      {},
      ['a', 'b', 'c', 'd'].map((name) => row(name, 'non-compliant', 2000)),
    );
    expect(failed[2]?.says).toBe('4 of 4 failed: a, b, c and more');
  });

  it('keeps evidence that nobody reported behind the build', () => {
    expect(shortly(laneOf({}, [row('review', 'missing', null)]))[2]).toEqual(['evidence', null, null]);
    expect(laneOf({}, [])[2]).toMatchObject({ state: null, says: 'Nothing is asked for, and nobody reported any.' });
  });

  it('takes the first start in an environment, and says when the artifact left', () => {
    const history = [
      start('prod', 3000),
      stop('prod', 4000),
      start('prod', 5000),
      start('edge', 6000),
      stop('edge', 6400),
    ];
    const [, , , prod, edge] = laneOf({ history });
    expect(prod).toMatchObject({ title: 'prod', at: 3000, state: 'running', says: 'runs for 1 h 23 min' });
    expect(edge).toMatchObject({ title: 'edge', at: 6000, state: 'stopped', says: 'left 1 h ago' });
  });

  it('does not begin before the time that an answer tells', () => {
    expect(laneOf({ history: [stop('prod', 4000)] }).at(-1)).toMatchObject({ title: 'prod', at: null, after: null });
  });
});
