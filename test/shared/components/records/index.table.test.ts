import { expect, test } from 'vitest';
import { type AttestationId, type FlowId, newId, type OrganizationId } from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import { fromSeconds, type Micros } from '#shared/base/time.ts';
import { prepareBody, sha256Hex } from '#shared/bodies/bodies.ts';
import {
  type PostedVersion,
  type Posting,
  postingItems,
  readPostings,
  readPostingsOf,
  SHORTEST_SEARCH,
  searchPackages,
} from '#shared/components/records/postings.ts';
import { readSbomsOf, type Sbom, sbomItem } from '#shared/components/records/sboms.ts';
import {
  type Build,
  buildItem,
  type ComponentSetRecord,
  componentSetItem,
  readBuilds,
  readBuildsOf,
  readComponentsOf,
  readSet,
  readSets,
} from '#shared/components/records/sets.ts';
import type { Component } from '#shared/components/rules/component.ts';
import type { PackageName, PostedComponent } from '#shared/components/rules/package-name.ts';
import {
  type AttestationComponents,
  attestationComponentsItem,
  readAttestationComponents,
} from '#shared/evidence/records/attestation-components.ts';
import { testId, testName } from '#test/support/ids.ts';
import { testServices } from '#test/support/services.ts';

const services = await testServices();
const { table } = services;
const org = newId<OrganizationId>(fromSeconds(1_800_000_000));

const AT = fromSeconds(1_800_000_000);
const place = { flow: testId<FlowId>('flow'), trail: testName<TrailName>('trail') };

const npm = (name: string): PackageName => ({ package: `pkg:npm/${name}`, name });
const component = (one: PackageName, version: string | null, more: Partial<PostedComponent> = {}): PostedComponent => ({
  ...one,
  version,
  qualifiers: null,
  depth: null,
  ...more,
});
const put = (set: string, ...components: PostedComponent[]) =>
  table.putMany(postingItems(org, { set, at: AT }, components));

const aBuild = (set: string, at: Micros): Build => ({
  id: newId(at),
  ...place,
  name: 'sbom',
  type: 'sbom',
  scopes: [{ kind: 'trail' }],
  at,
  number: 1,
  state: 'read',
  set,
  why: null,
  count: 1,
  format: 'cyclonedx-1.6',
});

/** Reads all pages of the postings of a package. */
async function allPostings(one: PackageName, limit: number): Promise<{ postings: Posting[]; pages: number }> {
  const postings: Posting[] = [];
  let after: string | undefined;
  for (let pages = 1; ; pages += 1) {
    const page = await readPostings(table, org, one, { after, limit });
    postings.push(...page.postings);
    if (page.next === null) return { postings, pages };
    after = page.next;
  }
}

test('postings of a package are found by set, in pages, with the versions of a set joined', async () => {
  await put('set-a', component(npm('left-pad'), '1.0.0', { depth: 'deeper' }), component(npm('left-pad'), '1.3.0'));
  await put('set-b', component(npm('left-pad'), '1.3.0', { depth: 'direct' }), component(npm('left'), '9.0.0'));
  await put('set-c', component(npm('left-pad'), '1.3.0'), component({ package: null, name: 'left-pad' }, '7'));
  const { postings, pages } = await allPostings(npm('left-pad'), 2);
  expect(pages).toBe(2);
  expect(postings.map(({ set, versions }) => [set, versions.map(({ version }) => version)])).toEqual([
    ['set-a', ['1.0.0', '1.3.0']],
    ['set-b', ['1.3.0']],
    ['set-c', ['1.3.0']],
  ]);
  expect(postings[0]).toMatchObject({ package: 'pkg:npm/left-pad', name: 'left-pad', at: AT });
  const possible = await allPostings({ package: null, name: 'left-pad' }, 10);
  expect(possible.postings.map(({ set }) => set)).toEqual(['set-c']);
});

test('components with the same version and the same qualifiers are one version with a count and the least depth', async () => {
  const deb = { package: 'pkg:deb/debian/zlib1g', name: 'zlib1g' };
  await put(
    'set-deb',
    component(deb, '1.2', { qualifiers: 'arch=amd64', depth: 'deeper' }),
    component(deb, '1.2', { qualifiers: 'arch=amd64', depth: 'direct' }),
    component(deb, '1.2', { qualifiers: 'arch=arm64' }),
    component(deb, null),
  );
  const { postings } = await allPostings(deb, 10);
  expect(postings.flatMap(({ versions }) => versions)).toEqual<PostedVersion[]>([
    { version: '1.2', qualifiers: 'arch=amd64', depth: 'direct', count: 2 },
    { version: '1.2', qualifiers: 'arch=arm64', depth: null, count: 1 },
    { version: null, qualifiers: null, depth: null, count: 1 },
  ]);
});

test('more versions of a package than an item holds are several postings of the same set', async () => {
  const versions = Array.from({ length: 250 }, (_, i) => `0.0.${i}`);
  await put('set-many', ...versions.map((version) => component(npm('many'), version)));
  const { postings } = await allPostings(npm('many'), 2);
  expect(postings.map(({ set, versions: some }) => [set, some.length])).toEqual([
    ['set-many', 100],
    ['set-many', 100],
    ['set-many', 50],
  ]);
  expect(postings.flatMap(({ versions: some }) => some.map(({ version }) => version))).toEqual(versions);
});

test('names that need care in a key keep packages apart', async () => {
  const long = 'n'.repeat(300);
  const names = ['Ze#d', 'ze', `${long}1`, `${long}2`, '#', 'x', 'ab🎉c', 'ab\ud83d'];
  for (const [i, name] of names.entries()) await put(`set-${i}`, component({ package: null, name }, '1'));
  for (const [i, name] of names.entries()) {
    const { postings } = await allPostings({ package: null, name }, 10);
    expect(
      postings.map(({ set }) => set),
      name,
    ).toEqual([`set-${i}`]);
  }
});

test('a search finds packages by the beginning of their names, each once, in pages', async () => {
  for (let i = 0; i < 30; i += 1) await put(`set-s${i}`, component(npm('searched'), `1.${i}`));
  await put(
    'set-s',
    ...['search-a', 'search-b', 'Search-C', 'sea', 'searched-too'].map((name) => component(npm(name), '1')),
  );
  await put('set-t', component({ package: 'pkg:pypi/search-b', name: 'search-b' }, '1'));
  const first = await searchPackages(table, org, 'SEARCH', { limit: 3 });
  expect(first.packages.map(({ name }) => name)).toEqual(['search-a', 'search-b', 'search-b']);
  const second = await searchPackages(table, org, 'SEARCH', { limit: 3, after: first.next ?? '' });
  expect(second.packages.map(({ name }) => name)).toEqual(['Search-C', 'searched', 'searched-too']);
  expect(second.next).toBeNull();
  expect(await searchPackages(table, org, 'nothing', { limit: 3 })).toEqual({ packages: [], next: null });
  const shortest = await searchPackages(table, org, 'search'.slice(0, SHORTEST_SEARCH), { limit: 10 });
  expect(shortest.packages[0]?.name).toBe('sea');
});

test('builds of sets are found oldest first and in pages', async () => {
  const builds = [3, 1, 2].map((n) => aBuild('set-x', fromSeconds(1_800_000_000 + n)));
  await table.putMany([...builds, aBuild('set-y', AT)].map((build) => buildItem(org, build)));
  const sorted = builds.toSorted((a, b) => a.at - b.at);
  const first = await readBuilds(table, org, 'set-x', { limit: 2 });
  expect(first.builds).toEqual(sorted.slice(0, 2));
  const second = await readBuilds(table, org, 'set-x', { limit: 2, after: first.next ?? undefined });
  expect(second).toEqual({ builds: sorted.slice(2), next: null });
  const both = await readBuildsOf(table, org, [
    { set: 'set-y', limit: 5 },
    { set: 'set-none', limit: 5 },
  ]);
  expect(both.map(({ builds: found }) => found.length)).toEqual([1, 0]);
});

test('SBOMs of trails are found oldest first, those that cannot be read too', async () => {
  const read: Sbom = aBuild('set-x', fromSeconds(1_800_000_000));
  const unreadable: Sbom = {
    ...aBuild('', fromSeconds(1_800_000_001)),
    state: 'unreadable',
    set: null,
    why: 'The SBOM is empty',
    count: null,
    format: null,
    proof: { grade: 'stated' },
  };
  await table.putMany([unreadable, read].map((sbom) => sbomItem(org, sbom)));
  expect(await readSbomsOf(table, org, [place, { ...place, trail: testName('other') }])).toEqual([
    [read, unreadable],
    [],
  ]);
});

test('a set has its components in the bucket, and nothing is read of a set that there is not', async () => {
  const components: Component[] = Array.from({ length: 3_000 }, (_, i) => ({
    purl: `pkg:npm/c${i}@1`,
    name: `c${i}`,
    version: '1',
    digests: { sha256: sha256Hex(String(i)) },
    depth: 'direct',
  }));
  const { body, upload } = prepareBody(services.objects, org, JSON.stringify(components), 'components:set-l');
  await upload();
  const record: ComponentSetRecord = { count: components.length, body, at: AT };
  await table.put(componentSetItem(org, 'set-l', record));
  const stored = await readSet(table, org, 'set-l');
  expect(stored).toMatchObject({ count: 3_000, at: AT, body: { store: 's3' } });
  expect(stored && (await readComponentsOf(services, org, stored))).toEqual(components);
  expect([...(await readSets(table, org, ['set-none', 'set-l'])).keys()]).toEqual(['set-l']);
});

test('what was found in the files of attestations is read for those that the worker has read', async () => {
  const read: AttestationComponents = { state: 'read', set: 'set-l', count: 3, why: null, format: 'spdx-2.3' };
  const id = newId<AttestationId>(AT);
  await table.put(attestationComponentsItem(org, id, read));
  expect([...(await readAttestationComponents(table, org, [newId(AT), id]))]).toEqual([[id, read]]);
});

test('versions of packages in several sets are the same by keys and by a Query, with the reads that they take', async () => {
  const name = (n: number) => sha256Hex(`holder ${n}`);
  const held = npm('held-by-many');
  const many = Array.from({ length: 1_150 }, (_, n) => name(n));
  await table.putMany(many.flatMap((set, n) => postingItems(org, { set, at: AT }, [component(held, `1.0.${n}`)])));
  const versions = Array.from({ length: 250 }, (_, n) => `2.0.${n}`);
  await put(
    name(0),
    ...versions.map((version) => component(npm('in-parts'), version)),
    component({ package: null, name: 'Plain' }, '3'),
  );
  const packages = [held, npm('in-parts'), npm('absent'), { package: null, name: 'plain' }];
  const read = async (sets: string[]) => {
    const counted: number[] = [];
    const found = await readPostingsOf(table, org, { sets, packages }, (reads) => counted.push(reads));
    return { counted, of: (set: string) => packages.map((one) => found(set, one).map(({ version }) => version)) };
  };
  const few = await read([name(0), name(7), 'other']);
  // Twelve keys in one call, and two calls for the second and the third part of a set with many versions.
  expect(few.counted).toEqual([50, 50, 50]);
  expect(few.of(name(0))).toEqual([['1.0.0'], versions, [], ['3']]);
  expect(few.of(name(7))).toEqual([['1.0.7'], [], [], []]);
  expect(few.of('other')).toEqual([[], [], [], []]);
  const all = await read([...many.slice(0, 300), 'other'].toSorted());
  // A Query for each package, and the keys of the sets behind its first thousand.
  expect(all.counted).toEqual([200, 50]);
  for (const n of [0, 7, 299]) expect(all.of(name(n))[0]).toEqual([`1.0.${n}`]);
  expect(many.slice(0, 300).every((set, n) => all.of(set)[0]?.[0] === `1.0.${n}`)).toBe(true);
  expect(all.of(name(0)).slice(1)).toEqual([versions, [], ['3']]);
  expect(all.of('other')).toEqual([[], [], [], []]);
  const none = await read([]);
  expect(none.counted).toEqual([]);
  const found = await readPostingsOf(table, org, { sets: [name(0)], packages: [held] });
  expect(() => found(name(0), npm('absent'))).toThrow('The postings of pkg:npm/absent were not read');
});
