import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import { type EnvironmentName, storedName } from '#shared/base/names.ts';
import { type Duration, type Micros, minus } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readPolicyNames } from '#shared/policies/records/policies.ts';
import { type ComplianceCount, sumOfCounts } from '#shared/policies/rules/verdicts.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import { hasTags } from '#shared/series/tags.ts';
import type { Unreadable } from '#shared/series/unreadable.ts';
import { instantSequence } from '#shared/table/keys.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { readAllDetails, readDetails } from '../records/environment-details.ts';
import { EnvironmentEntry, type EnvironmentHead } from '../records/environment-records.ts';
import { readEnvironmentHeads, readListedHeads } from '../records/environments.ts';
import { snapshotPartition } from '../records/keys.ts';
import type { EnvironmentKind } from '../rules/environment-kinds.ts';
import type { PresentState } from '../rules/reports/present-state.ts';
import { ENVIRONMENTS } from '../rules/series-kinds.ts';
import { StateChange, type StateHistory, stateHistory } from '../rules/state-intervals.ts';
import { lastModified, type ReferredNames, type ShownEnvironment } from './get-environment.ts';
import { type ListedState, lastReportsOf, readPresentStates } from './read-present-state.ts';
import { shownSilence } from './read-silence.ts';

/**
 * Up to so many environments for each one on the page, the details of all are read with one Query. It costs fewer units
 * than the items of the page one by one, each of which counts as 4 KB.
 */
const WHOLE = 30;
/** 30 days (rules/environments.md#state-changes-over-time). */
const SHOWN_STATES: Duration = 30 * 86_400 * 1_000_000;

interface EnvironmentSelection {
  /** Text that the names contain, in upper or lower case. */
  name?: string | undefined;
  /** All kinds if it is empty. */
  kinds: readonly EnvironmentKind[];
  /** Whether the request selects nothing. */
  isEmpty: boolean;
  /** `key` or `key:value`; an environment must have all of them. */
  tags: string[];
  sort: 'name' | 'last_modified_at' | 'last_changed_at' | 'state';
  direction: 'asc' | 'desc';
  /** Whether the states of the last 30 days are read. */
  withStates: boolean;
  /** Whether silent reporters are found out. It costs no read: the entries of all environments are read anyway. */
  withSilence: boolean;
  /** From the first environment on; all without a page. */
  page?: { page: number; perPage: number } | undefined;
}

/** An environment of a list. A record that cannot be read has only its id, its name and its kind. */
type ListedEnvironment =
  | (ShownEnvironment & { states: EnvironmentStates | undefined })
  | (Unreadable<EnvironmentId> & { name: string; kind: string });

/**
 * Lists environments that are not archived (rules/environments.md#list).
 *
 * @returns the environments of the page, how many are selected in all, and the names that the page refers to
 */
export async function listEnvironments(
  { table, objects, clock }: Stores,
  org: Organization,
  selection: EnvironmentSelection,
): Promise<{ total: number; environments: ListedEnvironment[]; names: ReferredNames }> {
  const { page, tags } = selection;
  const listed = [...(await readCatalogue(table, org.id, ENVIRONMENTS)).values()].map(listedEnvironment);
  const pageOf = (all: Listed[]) => (page ? all.slice((page.page - 1) * page.perPage, page.page * page.perPage) : all);
  const now = clock.now();
  const stored = sorted(matching(listed, selection), selection);
  // The order of states needs the present states of all.
  const isByState = selection.sort === 'state';
  const isWhole = tags.length > 0 || !page || isByState || listed.length <= WHOLE * page.perPage;
  const details = await (isWhole ? readAllDetails(table, org.id) : readDetails(table, org.id, idsOf(pageOf(stored))));
  const entries = entriesOf(listed);
  const presentOf = (some: readonly Listed[]) =>
    readPresentStates(table, org.id, statesToRead(some, entries, details), now);
  const matched = tags.length === 0 ? stored : stored.filter(({ id }) => hasTags(details.tagsOf(id), tags));
  const ofAll = isByState ? await presentOf(matched) : undefined;
  const wanted = ofAll
    ? sorted(
        matched.map((one) => withState(one, ofAll.get(one.id))),
        selection,
      )
    : matched;
  const onPage = pageOf(wanted);
  const present = ofAll ?? (await presentOf(onPage));
  const states = selection.withStates ? await readStates(table, org.id, onPage, now) : null;
  const silence = selection.withSilence ? silencesIn(entries, now) : null;
  const read = await Promise.all(
    onPage.map(async ({ id, name, kind: word, entry }): Promise<ListedEnvironment | null> => {
      try {
        const own = states?.get(id);
        if (own && 'unreadable' in own) throw own.unreadable;
        const parsed = EnvironmentEntry.parse(entry);
        const { k: kind, r: reported, c: changed } = parsed;
        const { state, reason: stateReason } = present.get(id) ?? { state: parsed.s ?? null, reason: null };
        const shown = await details.of(objects, id);
        if (!shown) return null;
        const times = { reported, changed, modified: lastModified(parsed), silence: silence?.(id, shown.members) };
        return { name, kind, state, stateReason, ...times, states: own, ...shown };
      } catch (unreadable) {
        return { id, name, kind: word, unreadable };
      }
    }),
  );
  // An environment that was archived between the two reads is left out.
  const environments = read.filter((one) => one !== null);
  const policies = environments.flatMap((one) => ('unreadable' in one ? [] : one.policies));
  const names = {
    policies: await readPolicyNames(table, org.id, policies),
    members: new Map(listed.map(({ id, name }) => [id, name])),
  };
  return { total: wanted.length, environments, names };
}

type Entries = ReadonlyMap<EnvironmentId, EnvironmentEntry>;

/** The entries by id. One that cannot be read is left out. */
const entriesOf = (listed: readonly Listed[]): Entries =>
  new Map(
    listed.flatMap(({ id, entry }) => {
      const { data } = EnvironmentEntry.safeParse(entry);
      return data ? [[id, data] as const] : [];
    }),
  );

/** What the present states of environments depend on. What cannot be read is left out; its row says so. */
const statesToRead = (
  listed: readonly Listed[],
  entries: Entries,
  details: Awaited<ReturnType<typeof readAllDetails>>,
): ListedState[] =>
  listed.flatMap(({ id }) => {
    const entry = entries.get(id);
    const links = details.readableLinksOf(id);
    if (!entry || !links) return [];
    const members = links.members.flatMap((member) => entries.get(member) ?? []);
    const reports = entry.k === 'logical' ? lastReportsOf(members) : [{ member: null, at: entry.r }];
    return [{ id, state: entry.s ?? null, freshUntil: entry.f, policies: links.policies, reports }];
  });

const withState = (listed: Listed, present: PresentState | undefined): Listed =>
  present ? { ...listed, state: placeOfState(present.state) } : listed;

/** Returns what finds out who is silent, by id and members of an environment. */
function silencesIn(entries: Entries, now: Micros) {
  return (id: EnvironmentId, members: readonly EnvironmentId[]) =>
    shownSilence(
      entries.get(id) ?? null,
      members.flatMap((member) => entries.get(member) ?? []),
      now,
    );
}

const idsOf = (listed: readonly Listed[]): EnvironmentId[] => listed.map(({ id }) => id);

type StatesOf = EnvironmentStates | { unreadable: unknown };

/** Reads the states of a page, by id. An environment whose head cannot be read has the error in place of its states. */
async function readStates(table: Table, org: OrganizationId, onPage: readonly Listed[], now: Micros) {
  const heads = await readListedHeads(table, org, idsOf(onPage));
  const readable = heads.flatMap((head) => ('unreadable' in head ? [] : [head]));
  const states: Map<EnvironmentId, StatesOf> = await readStateHistories(table, org, readable, minus(now, SHOWN_STATES));
  for (const head of heads) if ('unreadable' in head) states.set(head.id, { unreadable: head.unreadable });
  return states;
}

/** The data of an environment by which lists filter and sort, from its entry in the catalogue. */
interface Listed {
  id: EnvironmentId;
  entry: Item;
  name: EnvironmentName;
  kind: string;
  /** Microseconds; 0 = never. */
  modified: number;
  changed: number;
  /** Place in the order of states: non-compliant, unknown, compliant. */
  state: number;
}

const placeOfState = (state: boolean | null): number => [false, null, true].indexOf(state);

/** An entry that does not fit its schema is listed too, with the name and the type that it holds. */
function listedEnvironment({ id, entry }: { id: EnvironmentId; entry: Item }): Listed {
  const { data } = EnvironmentEntry.safeParse(entry);
  const name = storedName<EnvironmentName>(String(entry['n']));
  const named = { id, entry, name, kind: String(entry['k']) };
  const state = placeOfState(data?.s ?? null);
  return { ...named, modified: data ? lastModified(data) : 0, changed: data?.c ?? 0, state };
}

function matching(listed: Listed[], { name: text = '', kinds, isEmpty }: EnvironmentSelection): Listed[] {
  if (isEmpty) return [];
  const wanted = text.toLowerCase();
  return listed.filter(
    ({ name, kind }) =>
      name.toLowerCase().includes(wanted) && (kinds.length === 0 || kinds.some((one) => one === kind)),
  );
}

/** Sorts by the asked field, then by name. Names are unique, so the order is total. */
function sorted(listed: Listed[], { sort, direction }: EnvironmentSelection): Listed[] {
  const byName = (one: Listed, other: Listed) => (one.name < other.name ? -1 : 1);
  const byTime = {
    name: () => 0,
    last_modified_at: (one: Listed, other: Listed) => one.modified - other.modified,
    last_changed_at: (one: Listed, other: Listed) => one.changed - other.changed,
    state: (one: Listed, other: Listed) => one.state - other.state,
  }[sort];
  const inOrder = listed.toSorted((one, other) => byTime(one, other) || byName(one, other));
  return direction === 'asc' ? inOrder : inOrder.reverse();
}

export interface EnvironmentStates extends StateHistory {
  /** Null if nobody counted. */
  counts: ComplianceCount | null;
}

const MOST_INTERVALS = 60;

const NOTHING: ComplianceCount = { true: 0, false: 0, null: 0 };

/**
 * Reads the states of environments since an instant (rules/environments.md#state-changes-over-time): the changes since then
 * of all environments, in one call per 50 of them.
 */
async function readStateHistories(table: Table, org: OrganizationId, heads: readonly EnvironmentHead[], from: Micros) {
  const changed = heads.filter(({ since }) => since >= from);
  const [changes, counts] = await Promise.all([
    table.queryEach(changed.map(({ id }) => ({ pk: snapshotPartition(org, id), ...changesSince(from) }))),
    readCounts(table, org, heads),
  ]);
  const changesOf = new Map(changed.map(({ id }, i) => [id, changes[i]?.map((item) => StateChange.parse(item))]));
  const statesOf = (head: EnvironmentHead): EnvironmentStates => ({
    ...stateHistory(head, changesOf.get(head.id) ?? [], from, MOST_INTERVALS),
    counts: counts.get(head.id) ?? null,
  });
  return new Map(heads.map((head) => [head.id, statesOf(head)]));
}

const changesSince = (from: Micros) => ({ from: `V#${instantSequence(from)}`, to: 'V#~' });

/**
 * The counts of a head. A logical environment without policies of its own shows what runs in its members, so it has the
 * sum of their counts.
 */
async function readCounts(table: Table, org: OrganizationId, heads: readonly EnvironmentHead[]) {
  const isSum = ({ kind, policies }: EnvironmentHead) => kind === 'logical' && policies.length === 0;
  const known = new Map(heads.map((head) => [head.id, head]));
  const unread = heads.filter(isSum).flatMap((head) => head.members.filter((id) => !known.has(id)));
  const members = new Map([...known, ...(await readEnvironmentHeads(table, org, unread))]);
  const countsIn = (member: EnvironmentHead | undefined): ComplianceCount | null =>
    member?.index === 0 ? NOTHING : (member?.counts ?? null);
  const countsOf = (head: EnvironmentHead): ComplianceCount | null =>
    isSum(head) ? sumOfCounts(head.members.map((id) => countsIn(members.get(id)))) : (head.counts ?? null);
  return new Map(heads.map((head) => [head.id, countsOf(head)]));
}
