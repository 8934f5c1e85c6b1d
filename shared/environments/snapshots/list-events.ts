import type { Id } from '#shared/base/ids.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { findReposByName } from '#shared/evidence/records/repos.ts';
import { unknownRepo } from '#shared/evidence/rules/sentences.ts';
import { requirePresent } from '../present-environment.ts';
import { type EnvironmentEvent, eventNumbers, readEvents, readRepoEvents } from '../records/environment-events.ts';
import type { EnvironmentHead } from '../records/environment-records.ts';
import { findEnvironment } from '../records/environments.ts';
import { historyOf } from '../records/snapshot-parts.ts';
import { intersection, resolveEventRange } from '../rules/event-range.ts';
import type { History } from '../rules/expressions.ts';
import { type IndexRange, pageOfRange, rangeSize, resolveInterval } from '../rules/interval.ts';
import { withCodeDiffs } from './code-diffs.ts';

/**
 * The last event that a page of repositories may reach (rules/lists.md#events-of-an-environment). Events of repositories
 * are read from the beginning of the list up to the page.
 */
export const LAST_REPO_EVENT = 10_000;

interface EventSelection {
  /** Names of repositories, each once; the events of all artifacts if there are none. */
  repos: readonly string[];
  interval?: string | undefined;
  bounds: Parameters<typeof resolveEventRange>[0];
  page: number;
  perPage: number;
  /** Whether the oldest comes first. */
  reverse: boolean;
}

/**
 * Lists events of an environment (rules/environments.md#event-list).
 *
 * @param name present name or alias
 * @returns the events of the page, and the name of the environment
 * @throws ServiceError `not-found` if the environment or a repository does not exist, `invalid` for wrong bounds
 */
export async function listEvents(stores: Stores, org: Organization, name: EnvironmentName, selection: EventSelection) {
  const { table, clock } = stores;
  const now = clock.now();
  const [found, repos] = await Promise.all([
    findEnvironment(table, org.id, name),
    findReposByName(table, org.id, selection.repos),
  ]);
  const head = requirePresent(found, org, name);
  const ids = selection.repos.map((repo) => {
    const id = repos.get(repo);
    if (id === undefined) throw unknownRepo({ repo });
    return id;
  });
  const snapshots = await resolveSnapshots(selection, now, historyOf(table, org.id, head));
  const numbers = await eventNumbers(table, org.id, head, snapshots);
  const page =
    ids.length === 0
      ? await pageByNumber(stores, org, head, numbers, selection)
      : await pageOfRepos(stores, org, head, ids, numbers, selection);
  return { ...page, environment: head.name, events: await withCodeDiffs(stores, org, page.events) };
}

/** The snapshots within every bound that is given (rules/snapshot-expressions.md#event-ranges). */
async function resolveSnapshots({ interval: given, bounds: within }: EventSelection, now: Micros, history: History) {
  const [interval, bounds] = await Promise.all([
    resolveInterval(given, now, history),
    resolveEventRange(within, now, history),
  ]);
  return intersection(interval, bounds);
}

interface Found {
  events: EnvironmentEvent[];
  /** Null if not all events were read, so that the total is unknown. */
  total: number | null;
  /** Whether a later page that may be asked for has events. */
  hasNext: boolean;
}

/** Reads a page by event numbers. Every page costs the same (rules/lists.md#events-of-an-environment). */
async function pageByNumber(
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  { id }: EnvironmentHead,
  numbers: IndexRange,
  { page, perPage, reverse }: EventSelection,
): Promise<Found> {
  const events = await readEvents(table, org.id, id, pageOfRange(numbers, { page, perPage, reverse }));
  const total = rangeSize(numbers);
  return { events: reverse ? events : events.reverse(), total, hasNext: page * perPage < total };
}

/** Reads a page of the events of repositories. Their lists have no numbers of their own, so they are merged from the start. */
async function pageOfRepos(
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  { id }: EnvironmentHead,
  repos: readonly Id[],
  numbers: IndexRange,
  { page, perPage, reverse }: EventSelection,
): Promise<Found> {
  const limit = page * perPage;
  const lists = await Promise.all(
    // One event more than the page needs says whether there is a next page.
    repos.map((repo) =>
      readRepoEvents(table, org.id, id, repo, { ...numbers, newestFirst: !reverse, limit: limit + 1 }),
    ),
  );
  // An artifact of several flows may come from several of the repositories, so an event may stand in several lists.
  const merged = [...new Map(lists.flat().map((event) => [event.number, event])).values()].sort(
    (a, b) => (a.number - b.number) * (reverse ? 1 : -1),
  );
  const isWhole = lists.every((list) => list.length <= limit);
  return {
    events: merged.slice(limit - perPage, limit),
    total: isWhole ? merged.length : null,
    hasNext: merged.length > limit && limit + perPage <= LAST_REPO_EVENT,
  };
}
