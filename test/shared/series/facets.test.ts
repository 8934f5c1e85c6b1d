import { describe, expect, test } from 'vitest';
import { EVIDENCE_FACETS } from '#shared/evidence/rules/series-kinds.ts';
import { baseOf, facetSeries, facetsOf } from '#shared/series/facets.ts';

describe('the name of a facet', () => {
  test('contains the base and the values in a fixed order', () => {
    expect(facetSeries(EVIDENCE_FACETS, 'attestations', { y: 'generic', f: 'flow-id' })).toBe(
      'attestations?f=flow-id&y=generic',
    );
    expect(baseOf('attestations?f=flow-id&y=generic')).toBe('attestations');
    expect(baseOf('attestations')).toBeNull();
  });

  test('cannot be forged by a value', () => {
    const forged = facetSeries(EVIDENCE_FACETS, 'attestations', { y: 'a&f=b' });
    expect(forged).not.toBe(facetSeries(EVIDENCE_FACETS, 'attestations', { f: 'b', y: 'a' }));
    expect(facetSeries(EVIDENCE_FACETS, 'attestations', { y: 'custom:cover?age' })).toBe(
      'attestations?y=custom%3Acover%3Fage',
    );
  });

  test('is refused for unknown filters', () => {
    expect(() => facetSeries(EVIDENCE_FACETS, 'attestations', { p: 'repo' })).toThrow('no facet by p');
    expect(() => facetSeries(EVIDENCE_FACETS, 'trails', { f: 'flow' })).toThrow('no facet by f');
  });
});

describe('the facets of an entry', () => {
  test('are one per filter whose attributes it has', () => {
    expect(facetsOf(EVIDENCE_FACETS, 'attestations', { r: 'x', f: 'F', y: 'Y' })).toEqual([
      'attestations?f=F',
      'attestations?y=Y',
      'attestations?f=F&y=Y',
    ]);
    expect(facetsOf(EVIDENCE_FACETS, 'artifacts', { r: 'x', f: 'F' })).toEqual(['artifacts?f=F']);
    expect(facetsOf(EVIDENCE_FACETS, 'builds', { r: 'x', p: 'P' })).toEqual(['builds?p=P']);
    expect(facetsOf(EVIDENCE_FACETS, 'trails-with:abc', { f: 'F', t: 'T' })).toEqual(['trails-with:abc?f=F']);
    expect(facetsOf(EVIDENCE_FACETS, 'trails', { f: 'F', t: 'T' })).toEqual([]);
  });
});
