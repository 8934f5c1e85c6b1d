import { describe, expect, it } from 'vitest';
import { MOST_VIEWS, parseViews, placeOf, viewsIn, withoutView, withView } from '#console/model/saved-views.ts';
import { SHORT } from '#test/console/browser/hostile-texts.ts';

const view = (address: string, name = 'mine', owner = 'ann') => ({ owner, name, address });

describe('placeOf', () => {
  it('finds the page, its values and its filters', () => {
    expect(placeOf('/demo/flows/a%20b?state=incomplete&q=x')).toEqual({
      page: 'flow',
      params: { org: 'demo', flow: 'a b' },
      search: { state: 'incomplete', q: 'x' },
    });
  });

  it.each([
    '//evil.example/demo/flows',
    '/\\evil.example/demo',
    'https://evil.example/demo/flows',
    'javascript:alert(1)',
    '/demo/no-such-page',
    '/demo/flows/%E0%A4%A',
    'demo/flows',
    '',
  ])('finds nothing in %j', (address) => {
    expect(placeOf(address)).toBeNull();
  });
});

describe('parseViews', () => {
  it('leaves out what is no view', () => {
    const good = view('/demo/flows');
    const others = [null, 1, 'x', {}, view('//evil.example'), view('/demo/flows', ''), { ...good, owner: 1 }];
    expect(parseViews([...others, good, view('/demo/flows', 'n'.repeat(61))])).toEqual([good]);
    for (const value of [null, {}, 'x', 3, undefined]) expect(parseViews(value)).toEqual([]);
  });
});

describe('withView', () => {
  it('replaces the name that the person gave the address before', () => {
    const before = [view('/demo/flows', 'old'), view('/demo/flows', 'his', 'bob')];
    expect(withView(before, view('/demo/flows', ' new '))).toEqual([
      view('/demo/flows', 'his', 'bob'),
      view('/demo/flows', 'new'),
    ]);
  });

  it('keeps the newest views', () => {
    const many = Array.from({ length: MOST_VIEWS + 5 }, (_, n) => view(`/demo/flows/f${n}`));
    const kept = many.reduce(withView, [] as ReturnType<typeof parseViews>);
    expect([kept.length, kept[0]?.address]).toEqual([MOST_VIEWS, '/demo/flows/f5']);
  });

  it('shortens a long name, and keeps none that is empty', () => {
    const [kept] = withView([], view('/demo/flows', SHORT.repeat(20)));
    expect(kept?.name).toHaveLength(60);
    expect(withView([], view('/demo/flows', '  '))).toEqual([]);
  });
});

describe('viewsIn', () => {
  it('gives the views of a person in an organization, by name', () => {
    const all = [view('/demo/flows', 'b'), view('/demo', 'a'), view('/other', 'c'), view('/demo', 'd', 'bob')];
    expect(viewsIn(all, 'ann', 'demo').map(({ name }) => name)).toEqual(['a', 'b']);
    expect(withoutView(all, view('/demo')).map(({ name }) => name)).toEqual(['b', 'c', 'd']);
  });
});
