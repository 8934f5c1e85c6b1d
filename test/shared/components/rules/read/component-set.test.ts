import { describe, expect, test } from 'vitest';
import type { Component, ComponentsReading } from '#shared/components/rules/component.ts';
import { type ComponentEntry, ComponentSet } from '#shared/components/rules/read/component-set.ts';
import { SbomUnreadable } from '#shared/evidence/rules/sbom/summary.ts';

const entry = (fields: Partial<ComponentEntry>): ComponentEntry => ({
  ...{ purl: null, name: 'a', version: null, digests: [], depth: null },
  ...fields,
});
const component = (fields: Partial<Component>): Component => ({
  ...{ purl: null, name: 'a', version: null, digests: {}, depth: null },
  ...fields,
});
const setOf = (entries: readonly ComponentEntry[]): ComponentSet => {
  const set = new ComponentSet();
  for (const one of entries) set.add(one);
  return set;
};
/** Reads entries in their order and in reverse, which has to be the same. */
const read = (...entries: readonly Partial<ComponentEntry>[]): readonly Component[] => {
  const all = entries.map(entry);
  const reading: ComponentsReading = { read: setOf(all).read('spdx-2.3'), unreadable: null };
  expect(setOf(all.toReversed()).read('spdx-2.3')).toEqual(reading.read);
  return reading.read.components;
};

describe('entries of the same component', () => {
  test('entries with the same package URL are one component with the least depth', () => {
    const purl = 'pkg:npm/a@1';
    expect(read({ purl, depth: 'deeper' }, { purl, depth: 'direct' }, { purl })).toEqual([
      component({ purl, depth: 'direct' }),
    ]);
    expect(read({ purl, depth: null }, { purl, depth: 'deeper' })).toEqual([component({ purl, depth: 'deeper' })]);
  });

  test('entries with the same package URL and different names have the first name and the first version', () => {
    const purl = 'pkg:npm/a@1';
    expect(read({ purl, name: 'b', version: '1' }, { purl, name: 'a' }, { purl, name: 'c', version: '0' })).toEqual([
      component({ purl, name: 'a', version: '0' }),
    ]);
  });

  test('entries without a package URL are one component if name and version are the same', () => {
    expect(read({ version: '1' }, { version: '1' }, { version: '2' }, {}, {})).toEqual([
      component({ version: '1' }),
      component({ version: '2' }),
      component({}),
    ]);
  });

  test('entries with a package URL stay apart from entries without one, and from those with another one', () => {
    const fields = { version: '1' };
    expect(read({ ...fields, purl: 'pkg:pypi/a@1' }, { ...fields, purl: 'pkg:npm/a@1' }, fields)).toEqual([
      component({ ...fields, purl: 'pkg:npm/a@1' }),
      component({ ...fields, purl: 'pkg:pypi/a@1' }),
      component(fields),
    ]);
  });

  test('names that look like a version and a name are not the same as name and version', () => {
    expect(read({ name: 'a\nv1' }, { name: 'a', version: '1' })).toHaveLength(2);
    expect(read({ name: 'a', version: '' }, { name: 'a' })).toHaveLength(2);
  });
});

describe('digests', () => {
  test('digests are in lower case by the name of their algorithm, however the file spells it', () => {
    const digests = [
      ['SHA-512', 'C'.repeat(128)],
      ['SHA1', ` ${'A'.repeat(40)}`],
      ['sha256', 'b'.repeat(64)],
    ] as const;
    const [first] = read({ digests });
    expect(Object.entries(first?.digests ?? {})).toEqual([
      ['sha1', 'a'.repeat(40)],
      ['sha256', 'b'.repeat(64)],
      ['sha512', 'c'.repeat(128)],
    ]);
  });

  test.each<[string, unknown, unknown]>([
    ['a digit too short', 'SHA-256', 'a'.repeat(63)],
    ['of the length of another algorithm', 'SHA-512', 'a'.repeat(64)],
    ['with a letter that is no digit', 'SHA-1', 'g'.repeat(40)],
    ['of an algorithm that is not read', 'MD5', 'a'.repeat(32)],
    ['of an algorithm that is a property of every object', 'constructor', 'a'.repeat(64)],
    ['that is no text', 'SHA-256', 7],
    ['of an algorithm that is no text', null, 'a'.repeat(64)],
  ])('a digest %s is left out', (_, algorithm, value) => {
    expect(read({ digests: [[algorithm, value]] })).toEqual([component({})]);
  });

  test('digests that contradict each other are left out, and those that agree stay', () => {
    const sha256 = (letter: string) => ['SHA256', letter.repeat(64)] as const;
    const sha1 = ['SHA1', 'd'.repeat(40)] as const;
    expect(read({ digests: [sha256('a'), sha1] }, { digests: [sha256('b')] }, { digests: [sha256('a')] })).toEqual([
      component({ digests: { sha1: 'd'.repeat(40) } }),
    ]);
  });
});

describe('the set', () => {
  test('removes a component by what makes it the same component', () => {
    const set = setOf([entry({ purl: 'pkg:npm/a@1' }), entry({}), entry({ version: '1' })]);
    set.remove({ purl: 'pkg:npm/a@1', name: 'other', version: null });
    set.remove({ purl: null, name: 'a', version: '1' });
    expect(set.read('spdx-2.3').components).toEqual([component({})]);
  });

  test('takes 50,000 components and more entries of the same, and refuses one component more', () => {
    const set = setOf(Array.from({ length: 50_000 }, (_, i) => entry({ name: `n${i}` })));
    set.add(entry({ name: 'n7', depth: 'direct' }));
    expect(set.read('spdx-2.3').components).toHaveLength(50_000);
    expect(() => set.add(entry({ name: 'one more' }))).toThrow(
      new SbomUnreadable('The SBOM has more than 50000 components'),
    );
  });
});
