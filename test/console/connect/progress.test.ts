import { describe, expect, it } from 'vitest';
import { isConnecting, progressOf, progressSentence } from '#console/connect/model/progress.ts';

const trail = (name: string, fingerprint: string | null = null) => ({
  name,
  flow_name: 'web',
  compliance_state: 'COMPLIANT',
  artifacts: fingerprint === null ? [] : [{ artifact_name: 'app', artifact_fingerprint: fingerprint }],
});
const environment = (state: boolean | null, at: number | null) => ({ name: 'prod', state, last_reported_at: at });

describe('the way to the first compliant snapshot', () => {
  it.each([
    [[], [], 'Waiting for the first report: a trail.'],
    [[trail('1')], [], 'The first trail has begun. Waiting for its artifact.'],
    [[trail('1', 'ab')], [], 'The first artifact was reported. Waiting for a snapshot of an environment.'],
    [
      [trail('1', 'ab')],
      [environment(null, null)],
      'The first artifact was reported. Waiting for a snapshot of an environment.',
    ],
    [[trail('1', 'ab')], [environment(false, 7)], 'The first snapshot has come. Waiting for one that is compliant.'],
    [
      [trail('1', 'ab')],
      [environment(true, 7)],
      'Connected: prod is compliant. This page stays in the menu, for the next pipeline.',
    ],
  ])('says what it waits for: %#', (trails, environments, sentence) => {
    expect(progressSentence(progressOf(trails, environments))).toBe(sentence);
  });

  it('names the first of what came, with what its page needs', () => {
    expect(progressOf([trail('2', 'ab'), trail('1')], [environment(true, 7)])).toEqual({
      trail: { flow: 'web', trail: '1' },
      artifact: { flow: 'web', fingerprint: 'ab', name: 'app' },
      snapshot: { env: 'prod' },
      compliant: { env: 'prod' },
    });
  });

  it('is shown until a snapshot is compliant, and not to an organization that has long reported', () => {
    const many = Array.from({ length: 20 }, (_, n) => trail(String(n)));
    expect(isConnecting([], [])).toBe(true);
    expect(isConnecting([trail('1')], [{ state: false }, { state: null }])).toBe(true);
    expect(isConnecting([trail('1')], [{ state: false }, { state: true }])).toBe(false);
    expect(isConnecting(many, [{ state: false }])).toBe(false);
  });
});
