import { firstPreciseIdAt, type Id, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import { type EnvironmentName, type FlowName, storedName } from '#shared/base/names.ts';
import { type Micros, plus } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { findEnvironment } from '#shared/environments/records/environments.ts';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { cursorIn, readCursorIn } from '#shared/table/cursors.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { readGap, readGapItems, readGaps, readOngoing } from '../records/gaps.ts';
import type { Expectation } from '../rules/expectation.ts';
import { Gap, type GapState, type GapSubject, shownState } from '../rules/gaps/gap.ts';
import { unknownGap } from '../rules/sentences.ts';
import { withPresentNames } from './present-names.ts';

/** Which gaps a list shows. What is undefined selects nothing. */
export interface GapFilter {
  expectation: string | undefined;
  /** Name of an environment or a flow. */
  subject: string | undefined;
  kind: Expectation['kind'] | undefined;
  state: GapState | undefined;
  /** Gaps that began in this time. */
  from: Micros | undefined;
  until: Micros | undefined;
}

/** A gap that cannot be read. A list shows a placeholder for it (rules/lists.md#unreadable-records). */
export interface UnreadableGap {
  id: Id;
  from: Micros;
  unreadable: unknown;
}

/** Gaps that are read for one page at most: a filter that selects few of them answers short pages. */
const MOST_READ = 1_000;
/** Gaps that are read at once. */
const PORTION = 200;

const listOf = (org: OrganizationId, filter: GapFilter): string[] => [org, 'gaps', JSON.stringify(filter)];

/** @returns the id of the last gap of the page before; null if the cursor does not belong to this list */
export const readGapCursor = (org: OrganizationId, filter: GapFilter, cursor: string): Id | null =>
  readCursorIn(listOf(org, filter), cursor);

/**
 * Reads one gap, with the present names of its subject.
 *
 * @throws ServiceError `not-found` if no gap has the id
 */
export async function getGap({ table }: Pick<Stores, 'table'>, org: Organization, id: Id): Promise<Gap> {
  const [gap] = await withPresentNames(table, org.id, [await presentGap(table, org, id)]);
  if (!gap) throw unknownGap({ gap: id, org: org.name });
  return gap;
}

/** Reads a gap as it is stored. @throws ServiceError `not-found` if no gap has the id */
export async function presentGap(table: Table, org: Organization, id: Id): Promise<Gap> {
  const gap = await readGap(table, org.id, id);
  if (!gap) throw unknownGap({ gap: id, org: org.name });
  return gap;
}

/**
 * Lists gaps, the newest `from` first (rules/expectations.md#list-of-gaps). Reads at most 1,000 gaps, so a page can have fewer
 * gaps than asked for and a cursor nevertheless.
 *
 * @param after result of {@link readGapCursor}; undefined = the first page
 * @returns the page, and the cursor of the next one; null on the last page
 */
export async function listGaps(
  { table }: Pick<Stores, 'table'>,
  org: OrganizationId,
  filter: GapFilter,
  { after, limit }: { after: Id | undefined; limit: number },
): Promise<{ gaps: (Gap | UnreadableGap)[]; next: string | null }> {
  const [isAbout, read] = await Promise.all([
    filter.subject === undefined ? () => true : subjectNamed(table, org, filter.subject),
    filter.state === 'open' ? ongoingItems(table, org, filter) : storedItems(table, org, filter),
  ]);
  const found: (Gap | UnreadableGap)[] = [];
  let count = 0;
  let last = after;
  let isEnd = false;
  // One more than the page has says whether another page follows.
  while (!isEnd && found.length <= limit && count < MOST_READ) {
    const items = await read(last, PORTION);
    found.push(...items.map(parsed).filter((one) => isSelected(filter, isAbout, one)));
    count += items.length;
    last = items.at(-1)?.sk ?? last;
    isEnd = items.length < PORTION;
  }
  const page = found.slice(0, limit);
  if (found.length > limit) last = page.at(-1)?.id;
  else if (isEnd) last = undefined;
  const next = last === undefined ? null : cursorIn(listOf(org, filter), last);
  return { gaps: await named(table, org, page), next };
}

type ReadItems = (after: Id | undefined, limit: number) => Promise<Item[]>;

/** Reads from the list of all gaps. */
async function storedItems(table: Table, org: OrganizationId, { from, until }: GapFilter): Promise<ReadItems> {
  const first = from === undefined ? undefined : firstPreciseIdAt(from);
  const end = until === undefined ? undefined : firstPreciseIdAt(plus(until, 1));
  return async (after, limit) => {
    // Neither the last gap of the page before nor the first instant after the period belongs to the page.
    const to = after ?? end;
    if (first !== undefined && to !== undefined && first > to) return [];
    const items = await readGapItems(table, org, { from: first, to, limit: limit + 1 });
    return items.filter(({ sk }) => sk !== to).slice(0, limit);
  };
}

/** Reads those that have not ended, by their ids. */
async function ongoingItems(table: Table, org: OrganizationId, { from, until }: GapFilter): Promise<ReadItems> {
  const ongoing = await readOngoing(table, org);
  const first = from === undefined ? '' : firstPreciseIdAt(from);
  const end = until === undefined ? undefined : firstPreciseIdAt(plus(until, 1));
  const ids = ongoing
    .map(({ gap }) => gap)
    .filter((id) => id >= first && (end === undefined || id < end))
    .toSorted((one, other) => (one < other ? 1 : -1));
  return (after, limit) => {
    const rest = after === undefined ? ids : ids.filter((id) => id < after);
    return readGaps(table, org, rest.slice(0, limit));
  };
}

function parsed(item: Item): Gap | UnreadableGap {
  const { data, error } = Gap.safeParse(item);
  return data ?? { id: item.sk, from: timeOfId(item.sk), unreadable: error };
}

function isSelected(
  { expectation, kind, state }: GapFilter,
  isAbout: (subject: GapSubject) => boolean,
  one: Gap | UnreadableGap,
): boolean {
  // An unreadable gap is shown wherever nobody can say that it is not wanted.
  if ('unreadable' in one) return true;
  return (
    (expectation === undefined || one.expectation.name === expectation) &&
    (kind === undefined || one.kind === kind) &&
    (state === undefined || shownState(one) === state) &&
    isAbout(one.subject)
  );
}

/** Returns whether a subject is the environment or belongs to the flow that has a name, present or former. */
async function subjectNamed(
  table: Table,
  org: OrganizationId,
  name: string,
): Promise<(subject: GapSubject) => boolean> {
  const [environment, flow] = await Promise.all([
    findEnvironment(table, org, storedName<EnvironmentName>(name)),
    findFlow(table, org, storedName<FlowName>(name)),
  ]);
  const ids = new Set<Id>([environment, flow].flatMap((head) => (head ? [head.id] : [])));
  return (subject) => placesOf(subject).some((id) => ids.has(id));
}

function placesOf(subject: GapSubject): Id[] {
  switch (subject.type) {
    case 'environment':
    case 'flow':
      return [subject.id];
    case 'scope':
      return [];
    case 'trail':
      return [subject.flow.id];
    case 'artifact':
      return [subject.environment.id];
  }
}

async function named(table: Table, org: OrganizationId, found: readonly (Gap | UnreadableGap)[]) {
  const gaps = found.filter((one): one is Gap => !('unreadable' in one));
  const byId = new Map((await withPresentNames(table, org, gaps)).map((gap) => [gap.id, gap]));
  return found.map((one) => byId.get(one.id) ?? one);
}
