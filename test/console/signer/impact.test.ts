import { describe, expect, it } from 'vitest';
import { impactLines, impactSentence } from '#console/signer/model/impact.ts';

const trail = (name: string, ...fingerprints: string[]) => ({
  flow_name: 'web',
  trail_name: name,
  html_url: '',
  evidence: [],
  artifacts: fingerprints.map((fingerprint) => ({ fingerprint, name: null, running: [] })),
});
const environment = (name: string) => ({ environment: name, artifacts: 2, since: 1 });

describe('what a recall concerns', () => {
  it('counts an artifact of several trails once, and names where it runs', () => {
    const page = { trails: [trail('1', 'a', 'b'), trail('2', 'a')], environments: [environment('prod')] };
    expect(impactSentence({ ...page, next_cursor: null })).toBe(
      'Evidence of 2 trails and 2 artifacts falls under it; it runs in prod.',
    );
    expect(impactLines({ ...page, next_cursor: null }).slice(1)).toEqual(['prod: 2 artifacts']);
  });

  it('never says that nothing is concerned while there are more pages', () => {
    const none = { trails: [], environments: [], next_cursor: 'c' };
    expect(impactSentence(none)).toBe(
      'No evidence of the trails on this page falls under it. There are more trails to look at.',
    );
    expect(impactSentence({ ...none, trails: [trail('1', 'a')] })).toContain('nothing of it runs. There are more');
  });
});
