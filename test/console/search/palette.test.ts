import { describe, expect, it } from 'vitest';
import { foundChoices, knownChoices, withoutDoubles } from '#console/search/model/palette.ts';
import type { Found } from '#console/search/operations.ts';

describe('choices of the palette', () => {
  it('are names that have the text in them, those that begin with it first', () => {
    const known = knownChoices('demo', 'PRO', ['approvals'], ['eu-prod', 'prod']);
    expect(known.map(({ label, hint }) => `${label} ${hint}`)).toEqual([
      'prod environment',
      'eu-prod environment',
      'approvals flow',
    ]);
    expect(knownChoices('demo', '', ['a'], [])).toEqual([]);
  });

  it('lead to the same place once', () => {
    const none = { items: [], more: false };
    const all = {
      artifacts: none,
      commits: none,
      commit_reports: none,
      trails: none,
      environments: none,
      policies: none,
      controls: none,
      repos: none,
    };
    const found = { ...all, flows: { items: [{ name: 'web' }], more: false } } as unknown as Found;
    const choices = [...knownChoices('demo', 'web', ['web'], []), ...foundChoices('demo', found)];
    expect(choices).toHaveLength(2);
    expect(withoutDoubles(choices)).toHaveLength(1);
  });
});
