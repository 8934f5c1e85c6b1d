import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { type Micros, StoredMicros } from '#shared/base/time.ts';
import { type CountReads, readEach } from '#shared/table/read-each.ts';
import { BATCH_LIMIT, type Item, keyText, type Table } from '#shared/table/table.ts';
import type { PackageName, PostedComponent } from '../rules/package-name.ts';
import { componentPartition, postingKey } from './keys.ts';
import { nameInKey, postingPrefix, readPostingPrefix } from './package-name.ts';

/** Postings: which sets hold a package, and in which versions (rules/components.md#index). */

const PostedVersion = z.object({
  /** Null if the component has no version. */
  version: z.string().nullable(),
  /** Qualifiers of the package URL in canonical form: `arch=amd64&distro=debian-12`; null if there are none. */
  qualifiers: z.string().nullable(),
  /** The least depth of the components that are counted here; null if the file does not say it. */
  depth: z.enum(['direct', 'deeper']).nullable(),
  /** Number of components: they differ in their subpath, or are listed several times without a package URL. */
  count: z.int(),
});
export type PostedVersion = z.infer<typeof PostedVersion>;

export const Posting = z.object({
  package: z.string().nullable(),
  name: z.string(),
  set: z.string(),
  versions: z.array(PostedVersion),
  /** When the first attestation with the set was reported. */
  at: StoredMicros,
});
export type Posting = z.infer<typeof Posting>;

/** Most versions of a package in one item. A version has at most 1,000 characters. */
const VERSIONS_OF_PART = 100;

/**
 * Returns the items that let a set be found by its packages: one for each package, more if it has more than 100 versions. They are the same
 * whenever they are written, except for `at`.
 */
export function postingItems(
  org: OrganizationId,
  { set, at }: { set: string; at: Micros },
  components: readonly PostedComponent[],
): Item[] {
  const packages = Map.groupBy(components, postingPrefix);
  return [...packages.values()].flatMap((all) => all.slice(0, 1).flatMap((one) => itemsOf(org, { set, at }, one, all)));
}

function itemsOf(
  org: OrganizationId,
  { set, at }: { set: string; at: Micros },
  { package: purl, name }: PackageName,
  all: readonly PostedComponent[],
): Item[] {
  const versions = versionsOf(all);
  const items: Item[] = [];
  for (let part = 0; part * VERSIONS_OF_PART < versions.length; part += 1) {
    const some = versions.slice(part * VERSIONS_OF_PART, (part + 1) * VERSIONS_OF_PART);
    const posting: Posting = { package: purl, name, set, versions: some, at };
    items.push({ ...postingKey(org, posting, set, part), v: 1, ...posting });
  }
  return items;
}

function versionsOf(all: readonly PostedComponent[]): PostedVersion[] {
  const versions = new Map<string, PostedVersion>();
  for (const { version, qualifiers, depth } of all) {
    const key = JSON.stringify([version, qualifiers]);
    const known = versions.get(key);
    if (!known) versions.set(key, { version, qualifiers, depth, count: 1 });
    else versions.set(key, { ...known, depth: lesser(known.depth, depth), count: known.count + 1 });
  }
  return [...versions.values()];
}

const lesser = (one: PostedVersion['depth'], other: PostedVersion['depth']): PostedVersion['depth'] =>
  one === 'direct' || other === 'direct' ? 'direct' : (one ?? other);

/** A place in the postings of a package or of a name: the key of the last posting that was read. */
interface PostingsPage {
  after?: string | undefined;
  limit: number;
}

/**
 * Reads postings of one package, by set. A set whose versions are too many for one item has several postings, one after another. A page does
 * not end within them, unless a single set fills it.
 *
 * @param one with `package: null`, the components that have this name and no package URL
 * @returns `next` is the place that the next page follows; null on the last page
 */
export async function readPostings(
  table: Table,
  org: OrganizationId,
  one: PackageName,
  { after, limit }: PostingsPage,
): Promise<{ postings: Posting[]; next: string | null }> {
  const prefix = postingPrefix(one);
  const items = await table.query({
    pk: componentPartition(org, one.name),
    // The zero makes the smallest sort key behind `after`.
    ...(after === undefined ? { prefix } : { from: `${after}\0`, to: endOf(prefix) }),
    limit: limit + 1,
  });
  const read = items.map((item) => ({ sk: item.sk, posting: Posting.parse(item) }));
  const beyond = items.length > limit ? read.at(-1)?.posting.set : undefined;
  const whole = read.filter(({ posting }) => posting.set !== beyond);
  const page = whole.length === 0 ? read.slice(0, limit) : whole;
  return {
    postings: page.map(({ posting }) => posting),
    next: beyond === undefined ? null : (page.at(-1)?.sk ?? null),
  };
}

/** A text behind all sort keys that begin with a text that ends with `#`. */
const endOf = (prefix: string): string => `${prefix.slice(0, -1)}$`;

/** Sets up to which each posting is read by its key. More sets share one Query of each package: few of all sets hold it. */
const SETS_BY_KEY = BATCH_LIMIT;
/** Postings of a package that this Query reads. Those of the sets behind them are read by their keys. */
const POSTINGS_OF_QUERY = 1_000;
/** A call of 100 keys counts as so many reads, because so many partitions of evidence are read with one call. */
const READS_OF_CALL = 50;

/** Returns the versions that a set lists of a package. @throws Error if nobody has read the package */
type VersionsOfSets = (set: string, one: PackageName) => readonly PostedVersion[];

/**
 * Reads which of several sets hold which of several packages, and in which versions. For up to 100 sets it takes a call for each 100
 * pairs of a set and a package. For more sets it takes a Query for each package, and further calls only for a package of more than
 * 1,000 sets of the organization.
 *
 * @param count called before the reads of each step begin
 */
export async function readPostingsOf(
  table: Table,
  org: OrganizationId,
  { sets, packages }: { sets: readonly string[]; packages: readonly PackageName[] },
  count: CountReads = () => undefined,
): Promise<VersionsOfSets> {
  const asked = [...new Map(packages.map((one) => [postingPrefix(one), one])).values()];
  const found = new Map<string, PostedVersion[]>(asked.map((one) => [postingPrefix(one), []]));
  const add = ({ set, versions, ...one }: Posting) => {
    const key = `${postingPrefix(one)}${set}`;
    found.set(key, [...(found.get(key) ?? []), ...versions]);
  };
  const rest =
    sets.length > SETS_BY_KEY ? await readFirst(table, org, { sets, asked }, { count, add }) : pairs(sets, asked);
  let keys = rest.map(({ set, one }) => ({ set, one, key: postingKey(org, one, set, 0) }));
  for (let part = 1; keys.length > 0; part += 1) {
    count(READS_OF_CALL * Math.ceil(keys.length / BATCH_LIMIT));
    const items = await table.getMany(keys.map(({ key }) => key));
    const more = keys.flatMap(({ set, one, key }) => {
      const item = items.get(keyText(key));
      const posting = item && Posting.parse(item);
      if (posting) add(posting);
      return posting?.versions.length === VERSIONS_OF_PART ? [{ set, one, key: postingKey(org, one, set, part) }] : [];
    });
    keys = more;
  }
  // Callers ask about the same packages for one set after another.
  const prefixes = new Map<PackageName, string>();
  return (set, one) => {
    const prefix = prefixes.get(one) ?? postingPrefix(one);
    prefixes.set(one, prefix);
    if (!found.has(prefix)) throw new Error(`The postings of ${one.package ?? one.name} were not read`);
    return found.get(`${prefix}${set}`) ?? [];
  };
}

interface Pair {
  set: string;
  one: PackageName;
}

const pairs = (sets: readonly string[], packages: readonly PackageName[]): Pair[] =>
  packages.flatMap((one) => sets.map((set) => ({ set, one })));

/** Reads the first postings of each package. @returns what has to be read by its keys */
async function readFirst(
  table: Table,
  org: OrganizationId,
  { sets, asked }: { sets: readonly string[]; asked: readonly PackageName[] },
  { count, add }: { count: CountReads; add: (posting: Posting) => void },
): Promise<Pair[]> {
  count(READS_OF_CALL * asked.length);
  const wanted = new Set(sets);
  const pages = await readEach(asked, (one) => readPostings(table, org, one, { limit: POSTINGS_OF_QUERY }));
  return pages.flatMap(({ postings, next }, i) => {
    for (const posting of postings) if (wanted.has(posting.set)) add(posting);
    const last = postings.at(-1)?.set;
    const one = asked[i];
    // Postings of a package are in the order of the sets.
    return next === null || last === undefined || !one
      ? []
      : pairs(
          sets.filter((set) => set > last),
          [one],
        );
  });
}

/** Fewest characters of a searched name, because two of them select the partition. */
export const SHORTEST_SEARCH = 2;
/** Postings that one Query of a search reads. It begins anew behind a package that fills them. */
const READ_AT_ONCE = 25;

/**
 * Finds packages whose names begin with a text, in the order of their names. A package is read once, however many sets hold it.
 *
 * @param text at least {@link SHORTEST_SEARCH} characters; upper and lower case are the same
 * @param limit most packages
 * @returns `next` is the place that the next page follows; null on the last page
 */
export async function searchPackages(
  table: Table,
  org: OrganizationId,
  text: string,
  { after, limit }: PostingsPage,
): Promise<{ packages: PackageName[]; next: string | null }> {
  const pk = componentPartition(org, text);
  const prefix = nameInKey(text);
  const packages = new Map<string, PackageName>();
  let from = after === undefined ? prefix : endOf(after);
  for (;;) {
    const items = await table.query({ pk, from, to: `${prefix}${LAST_CHARACTER}`, limit: READ_AT_ONCE });
    for (const item of items) {
      const key = readPostingPrefix(item.sk);
      const { package: purl, name } = Posting.parse(item);
      packages.set(key, { package: purl, name });
      if (packages.size > limit) return pageOf(packages, limit);
    }
    const last = items.at(-1);
    if (!last || items.length < READ_AT_ONCE) return pageOf(packages, limit);
    from = endOf(readPostingPrefix(last.sk));
  }
}

/** Sorts behind every character of a name. */
const LAST_CHARACTER = String.fromCodePoint(0x10ffff);

function pageOf(packages: ReadonlyMap<string, PackageName>, limit: number) {
  const page = [...packages].slice(0, limit);
  const last = packages.size > limit ? page.at(-1) : undefined;
  return { packages: page.map(([, one]) => one), next: last?.[0] ?? null };
}
