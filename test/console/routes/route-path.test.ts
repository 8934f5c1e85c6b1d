import { describe, expect, it } from 'vitest';
import { paramsFromRoute, pathOf, routeParams, routePath } from '#console/routes/route-path.ts';

describe('routes', () => {
  it('translate patterns and values of the table of pages', () => {
    expect(routePath('trail')).toBe('/$org/flows/$flow/trails/$trail');
    expect(pathOf('/{org}/environments/{env}/{expression:digits}')).toBe('/$org/environments/$env/$expression');
    const params = { org: 'demo', repo: 'group/web' };
    expect(routePath('repo')).toBe('/$org/repos/$');
    expect(routeParams('repo', params)).toMatchObject({ org: 'demo', _splat: 'group/web' });
    expect(paramsFromRoute('repo', { org: 'demo', _splat: 'group/web' })).toEqual(params);
  });
});
