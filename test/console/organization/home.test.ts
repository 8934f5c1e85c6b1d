import { describe, expect, it } from 'vitest';
import type { Environment } from '#console/environment/operations.ts';
import { environmentsSentence, speedText, workSentence } from '#console/organization/model/home.ts';
import type { HomeAction, NewestTrail } from '#console/organization/operations.ts';

const environments = (states: Record<string, boolean | null>) =>
  Object.entries(states).map(([name, state]) => ({ name, state }) as Environment);

describe('the first page of an organization', () => {
  it.each([
    [{}, 'No environment reports to this organization yet.'],
    [{ a: true }, 'The only environment is compliant.'],
    [{ a: true, b: true }, 'All 2 environments are compliant.'],
    [{ a: false, b: true }, '1 of 2 environments is not compliant: a.'],
    [{ a: null, b: null }, 'No environment has a verdict yet.'],
    [{ a: null, b: true }, 'No environment is known to be not compliant. Nothing judges a.'],
  ])('says of %j: %s', (states, sentence) => {
    const found = environments(states);
    expect(environmentsSentence({ environments: found, total: found.length })).toBe(sentence);
  });

  it('says how fast trails became compliant', () => {
    const trail = (word: string, took: number) =>
      ({ compliance_state: word, created_at: 100, last_modified_at: 100 + took }) as NewestTrail;
    expect(speedText([trail('COMPLIANT', 60), trail('COMPLIANT', 7200), trail('INCOMPLETE', 9e5)])).toBe(
      'Compliant trails, from their begin to their last report: half of 2 trails within 1 min, all of them within 2 h.',
    );
    expect(speedText([trail('INCOMPLETE', 1)])).toBeNull();
  });

  it('says how many trails need evidence and how many actions fail', () => {
    const trails = ['COMPLIANT', 'INCOMPLETE', 'NON-COMPLIANT'].map(
      (word) => ({ compliance_state: word }) as NewestTrail,
    );
    const actions = [{ is_failing: true }, { is_failing: false }] as HomeAction[];
    expect(workSentence(trails, actions)).toBe('2 of the newest 3 trails need evidence, and 1 action fails.');
    expect(workSentence(trails.slice(0, 1), [])).toBe('');
  });
});
