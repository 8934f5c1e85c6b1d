import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Component } from '#shared/components/rules/component.ts';
import { componentDifferences } from '#shared/components/rules/differences.ts';

const component = (purl: string | null, name = 'a', version: string | null = null): Component => ({
  ...{ purl, name, version, digests: {}, depth: null },
});
const differences = (before: readonly string[], after: readonly string[]) =>
  componentDifferences(
    before.map((purl) => component(purl)),
    after.map((purl) => component(purl)),
  );
const NOTHING = { added: [], removed: [], changed: [], same: 0 };

describe('the differences of components between two builds', () => {
  test('a package of only one build is added or removed, with its versions', () => {
    expect(differences(['pkg:npm/a@1', 'pkg:npm/b@1'], ['pkg:npm/b@1', 'pkg:npm/c@2', 'pkg:npm/c@1'])).toEqual({
      added: [{ package: 'pkg:npm/c', name: 'a', versions: ['1', '2'] }],
      removed: [{ package: 'pkg:npm/a', name: 'a', versions: ['1'] }],
      changed: [],
      same: 1,
    });
  });

  test.each([
    ['newer', 'pkg:npm/a@1.9.0', 'pkg:npm/a@1.10.0'],
    ['older', 'pkg:maven/g/a@1.0', 'pkg:maven/g/a@1.0-rc1'],
    ['newer', 'pkg:deb/debian/a@1.0~rc1-1', 'pkg:deb/debian/a@1.0-1'],
    [null, 'pkg:npm/a@main', 'pkg:npm/a@1.0.0'],
    [null, 'pkg:npm/a', 'pkg:npm/a@1.0.0'],
    [null, 'pkg:swift/example.com/a/b@1', 'pkg:swift/example.com/a/b@2'],
  ])('a package in another version is changed, and the direction is %s from %s to %s', (direction, before, after) => {
    const [change, ...others] = differences([before], [after]).changed;
    expect(others).toEqual([]);
    expect(change?.direction).toBe(direction);
    expect([change?.from, change?.to]).toEqual([[before.split('@')[1] ?? null], [after.split('@')[1]]]);
  });

  test('versions that both builds have are left out of a change, and there is no direction between several', () => {
    expect(
      differences(['pkg:npm/a@1.0.0', 'pkg:npm/a@2.0.0'], ['pkg:npm/a@2.0.0', 'pkg:npm/a@3.0.0', 'pkg:npm/a@4.0.0'])
        .changed,
    ).toEqual([{ package: 'pkg:npm/a', name: 'a', from: ['1.0.0'], to: ['3.0.0', '4.0.0'], direction: null }]);
    expect(differences(['pkg:npm/a@1', 'pkg:npm/a@2'], ['pkg:npm/a@2'])).toEqual({
      ...NOTHING,
      changed: [{ package: 'pkg:npm/a', name: 'a', from: ['1'], to: [], direction: null }],
    });
  });

  test('spellings of one package and other qualifiers are no difference', () => {
    expect(
      differences(
        ['pkg:npm/@babel/core@7.0.0', 'pkg:pypi/Some_Name@1.0', 'pkg:deb/debian/a@1?distro=debian-12'],
        ['pkg:npm/%40babel/core@7.0.0', 'pkg:pypi/some-name@1.0', 'pkg:deb/debian/a@1?distro=debian-13&arch=arm64'],
      ),
    ).toEqual({ ...NOTHING, same: 3 });
  });

  test('an epoch in a qualifier belongs to the version', () => {
    expect(differences(['pkg:rpm/fedora/a@9-1?epoch=1'], ['pkg:rpm/fedora/a@2-1?epoch=2']).changed).toEqual([
      { package: 'pkg:rpm/fedora/a', name: 'a', from: ['1:9-1'], to: ['2:2-1'], direction: 'newer' },
    ]);
  });

  test('the version beside a package URL counts if the package URL has none', () => {
    expect(componentDifferences([component('pkg:npm/a', 'a', '1')], [component('pkg:npm/a@1', 'a', '2')])).toEqual({
      ...NOTHING,
      same: 1,
    });
  });

  test('components without a package URL are compared by their name, apart from those with one', () => {
    const before = [component(null, 'a', '1'), component('no package URL', 'b'), component(null, 'c', null)];
    const after = [component(null, 'a', '2'), component(null, 'b'), component('pkg:npm/c', 'c')];
    expect(componentDifferences(before, after)).toEqual({
      added: [{ package: 'pkg:npm/c', name: 'c', versions: [null] }],
      removed: [{ package: null, name: 'c', versions: [null] }],
      changed: [{ package: null, name: 'a', from: ['1'], to: ['2'], direction: null }],
      same: 1,
    });
  });
});

describe('the differences of any components', () => {
  const lists = fc.array(
    fc
      .tuple(
        fc.constantFrom('pkg:npm/a', 'pkg:npm/b', 'pkg:gem/a', null),
        fc.constantFrom('a', 'b'),
        fc.constantFrom('1.0.0', '2.0.0', null),
      )
      .map(([purl, name, version]) =>
        component(purl === null || version === null ? purl : `${purl}@${version}`, name, version),
      ),
    { maxLength: 8 },
  );
  const keyOf = (one: { package: string | null; name: string }) => one.package ?? `name ${one.name}`;
  /** What a build has, as `package version`. */
  const held = (components: readonly Component[]): string[] =>
    [...new Set(components.map((one) => `${one.purl?.split('@')[0] ?? `name ${one.name}`} ${one.version}`))].toSorted();

  test('the differences turn the first build into the second one', () => {
    fc.assert(
      fc.property(lists, lists, (before, after) => {
        const { added, removed, changed } = componentDifferences(before, after);
        const gone = [...removed.map((one) => ({ ...one, from: one.versions })), ...changed];
        const come = [...added.map((one) => ({ ...one, to: one.versions })), ...changed];
        const left = new Set(held(before));
        for (const one of gone)
          for (const version of one.from) expect(left.delete(`${keyOf(one)} ${version}`)).toBe(true);
        for (const one of come) for (const version of one.to) left.add(`${keyOf(one)} ${version}`);
        expect([...left].toSorted()).toEqual(held(after));
      }),
    );
  });

  test('the other way round the differences are the opposite, and no order counts', () => {
    fc.assert(
      fc.property(lists, lists, (before, after) => {
        const there = componentDifferences(before, after);
        const back = componentDifferences(after.toReversed(), before.toReversed());
        expect(back.added).toEqual(there.removed);
        expect(back.removed).toEqual(there.added);
        expect(back.same).toBe(there.same);
        expect(back.changed.map(({ from, to }) => [to, from])).toEqual(there.changed.map(({ from, to }) => [from, to]));
        expect(componentDifferences(before, before)).toMatchObject({ added: [], removed: [], changed: [] });
      }),
    );
  });
});
