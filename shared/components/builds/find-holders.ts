import type { AttestationId, OrganizationId } from '#shared/base/ids.ts';
import type { Table } from '#shared/table/table.ts';
import { type PostedVersion, type Posting, readPostings } from '../records/postings.ts';
import { type Build, readBuildsOf } from '../records/sets.ts';
import { askedPackages, type HeldVersion, heldVersions } from '../rules/held-versions.ts';
import type { PackageQuestion } from '../rules/question.ts';
import type { HolderPlace } from './places.ts';

/** Builds whose components answer a question, page by page (rules/components.md#exposure). */

/** A version of the asked package in a set of components. */
export type Held = HeldVersion<PostedVersion>;

interface Holder {
  build: Build;
  /** At least one. */
  held: Held[];
}

/** Postings that one Query reads. */
const POSTINGS = 100;
/** Postings that a page looks at, at most. */
const MOST_POSTINGS = 1_000;
/** Sets whose builds are read at the same time. Up to 32 ranges with a limit are read with a Query each. */
const SETS_AT_ONCE = 32;

/**
 * Reads one page of the builds that hold an asked version, in the order of their sets. The page can be short or empty and still have
 * a next one.
 *
 * @param limit most builds
 * @returns the place that the next page follows; null on the last page
 */
export async function findHolders(
  table: Table,
  org: OrganizationId,
  question: PackageQuestion,
  { place, limit }: { place: HolderPlace | undefined; limit: number },
): Promise<{ holders: Holder[]; next: HolderPlace | null }> {
  const holders: Holder[] = [];
  const packages = askedPackages(question);
  let at: HolderPlace = place ?? { step: 0, after: null, set: null, build: null };
  for (let looked = 0; looked < MOST_POSTINGS; looked += POSTINGS) {
    const asked = packages[at.step];
    if (!asked) return { holders, next: null };
    const { postings, next } = await readPostings(table, org, asked, { after: at.after ?? undefined, limit: POSTINGS });
    const rest = postings.filter(({ set }) => at.set === null || set >= at.set);
    const stopped = await readHolders(table, org, question, { at, rest, limit }, holders);
    if (stopped) return { holders, next: stopped };
    at = { step: next === null ? at.step + 1 : at.step, after: next, set: null, build: null };
  }
  return { holders, next: at };
}

/** Adds the builds of postings. @returns the place of the last build if there may be more than the page takes; null if there are none */
async function readHolders(
  table: Table,
  org: OrganizationId,
  question: PackageQuestion,
  { at, rest, limit }: { at: HolderPlace; rest: readonly Posting[]; limit: number },
  holders: Holder[],
): Promise<HolderPlace | null> {
  const matching = [...Map.groupBy(rest, ({ set }) => set)]
    .map(([set, postings]) => ({ set, held: postings.flatMap((posting) => heldVersions(question, posting)) }))
    .filter(({ held }) => held.length > 0);
  for (let i = 0; i < matching.length; i += SETS_AT_ONCE) {
    const some = matching.slice(i, i + SETS_AT_ONCE);
    const room = limit - holders.length;
    const [first] = some;
    // The page is full, and there is at least one more set.
    if (room === 0 && first) return { ...at, set: first.set, build: afterIn(at, first.set) ?? null };
    const pages = await readBuildsOf(
      table,
      org,
      some.map(({ set }) => ({ set, after: afterIn(at, set), limit: room })),
    );
    for (const [n, { set, held }] of some.entries()) {
      const { builds = [], next = null } = pages[n] ?? {};
      const taken = builds.slice(0, limit - holders.length);
      holders.push(...taken.map((build) => ({ build, held })));
      const last = taken.at(-1)?.id ?? afterIn(at, set) ?? null;
      if (taken.length < builds.length || next !== null) return { ...at, set, build: last };
    }
  }
  return null;
}

const afterIn = ({ set, build }: HolderPlace, one: string): AttestationId | undefined =>
  one === set ? (build ?? undefined) : undefined;
