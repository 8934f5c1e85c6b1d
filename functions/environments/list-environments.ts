import * as z from 'zod';
import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { readAllDetails, readDetails, type StoredDetails } from '#shared/environments/records/environment-details.ts';
import { EnvironmentEntry } from '#shared/environments/records/environment-records.ts';
import { readListedHeads } from '#shared/environments/records/environments.ts';
import { EnvironmentKindField } from '#shared/environments/rules/environment-kinds.ts';
import { ENVIRONMENTS } from '#shared/environments/rules/series-kinds.ts';
import { type EnvironmentStates, readStateHistories } from '#shared/environments/state-histories.ts';
import { endpoint, type Request } from '#shared/http/endpoint.ts';
import { pageAnswer, pageCount } from '#shared/http/paging.ts';
import { integerField, listField } from '#shared/http/query-fields.ts';
import type { Services } from '#shared/http/services.ts';
import { noteUnreadable } from '#shared/http/unreadable.ts';
import { readPolicyNames } from '#shared/policies/records/policies.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import { hasTags } from '#shared/series/tags.ts';
import type { Item, Table } from '#shared/table/table.ts';
import {
  EnvironmentOut,
  environmentOut,
  lastModified,
  type ShownEnvironment,
  unreadableEnvironment,
} from './environment-output.ts';
import { statesOut } from './states-output.ts';

const DEFAULT_PAGE = { page: 1, per_page: 15 };
/**
 * Up to so many environments for each one on the page, the details of all are read with one Query. It costs fewer units
 * than the items of the page one by one, each of which counts as 4 KB.
 */
const WHOLE = 30;
/** Each environment with states costs a head and a range of changes. */
const LARGEST_PAGE_WITH_STATES = 50;
/** 30 days (rules/environments.md#state-changes-over-time). */
const SHOWN_STATES: Micros = 30 * 86_400 * 1_000_000;

const Query = z.object({
  page: integerField({ min: 1 }).optional().meta({ description: 'Number of the page, from 1 on' }),
  per_page: integerField({ min: 1, max: 100 }).optional().meta({ description: 'Records on a page; 15 if absent' }),
  name: z.string().optional().meta({ description: 'Only names that contain this text, in upper or lower case' }),
  type: listField(EnvironmentKindField).default([]).meta({ description: 'Only environments of one of these types' }),
  space_id: listField(z.string())
    .default([])
    .meta({ description: 'There are no spaces: any value gives an empty list' }),
  tag: listField(z.string())
    .default([])
    .meta({ description: '`key` or `key:value`; an environment must have all of them' }),
  sort: z
    .enum(['name', 'last_modified_at', 'last_changed_at', 'state'])
    .default('name')
    .meta({ description: '`state`: non-compliant, then unknown, then compliant', override: { default: 'name' } }),
  sort_direction: z.enum(['asc', 'desc']).default('asc'),
  include: listField(z.enum(['states']))
    .default([])
    .meta({
      description: '`states`: the states of the last 30 days, and the verdicts of what runs. The answer is a page',
    }),
});
type Query = z.output<typeof Query>;

const EnvironmentsPage = z
  .object({
    page: z.int(),
    per_page: z.int(),
    total_pages: z.int(),
    total_count: z.int(),
    environments: z.array(EnvironmentOut),
  })
  .meta({ id: 'EnvironmentsPage' });

/** GET /environments/{org}: all environments that are not archived, or a page of them (rules/environments.md#list). */
export const listEnvironments = endpoint({
  operation: 'listEnvironments',
  method: 'GET',
  path: '/environments/{org}',
  summary: 'List the environments of an organization',
  description: 'An array of all of them; with `page`, `per_page` or `include` an object with one page.',
  access: 'reader',
  params: z.object({ org: z.string() }),
  query: Query,
  body: { kind: 'none' },
  success: { 200: z.union([z.array(EnvironmentOut), EnvironmentsPage]) },
  errors: [],
  uses: READ_BODIES,
  checks: [
    ({ query: { include = [], per_page: perPage = 0 } }) => {
      if (include.length === 0 || perPage <= LARGEST_PAGE_WITH_STATES) return;
      const text = `Input should be less than or equal to ${LARGEST_PAGE_WITH_STATES} with states`;
      throw invalidField('query.per_page', text, perPage);
    },
  ],
  handler: async (request, services) => {
    const { query, org } = request;
    const { table, clock } = services;
    const { page = DEFAULT_PAGE.page, per_page: perPage = DEFAULT_PAGE.per_page, include } = query;
    const withStates = include.includes('states');
    const isPaged = query.page !== undefined || query.per_page !== undefined || withStates;

    const listed = [...(await readCatalogue(table, org.id, ENVIRONMENTS)).values()].map(listedEnvironment);
    const pageOf = (all: Listed[]) => (isPaged ? all.slice((page - 1) * perPage, page * perPage) : all);
    const matched = sorted(matching(listed, query), query);
    const isWhole = query.tag.length > 0 || !isPaged || listed.length <= WHOLE * perPage;
    const details = isWhole
      ? await readAllDetails(table, org.id)
      : await readDetails(
          table,
          org.id,
          pageOf(matched).map(({ id }) => id),
        );
    const wanted =
      query.tag.length === 0 ? matched : matched.filter(({ id }) => hasTags(details.tagsOf(id), query.tag));
    const onPage = pageOf(wanted);
    const states = withStates ? await readStates(table, org.id, onPage, clock.now()) : null;
    const environments = await showPage(request, services, { listed, onPage, details, states });
    if (!isPaged) return { status: 200, body: environments };
    const total = wanted.length;
    return pageAnswer(
      request,
      { page, perPage, total },
      { page, per_page: perPage, total_pages: pageCount(total, perPage), total_count: total, environments },
    );
  },
});

interface Page {
  /** All environments that are not archived. */
  listed: readonly Listed[];
  onPage: readonly Listed[];
  details: StoredDetails;
  states: ReadonlyMap<EnvironmentId, StatesOf> | null;
}

type StatesOf = EnvironmentStates | { unreadable: unknown };

/** Reads the states of a page, by id. An environment whose head cannot be read has the error in place of its states. */
async function readStates(
  table: Table,
  org: OrganizationId,
  onPage: readonly Listed[],
  now: Micros,
): Promise<NonNullable<Page['states']>> {
  const heads = await readListedHeads(
    table,
    org,
    onPage.map(({ id }) => id),
  );
  const readable = heads.flatMap((head) => ('unreadable' in head ? [] : [head]));
  const states: Map<EnvironmentId, StatesOf> = await readStateHistories(table, org, readable, now - SHOWN_STATES);
  for (const head of heads) if ('unreadable' in head) states.set(head.id, { unreadable: head.unreadable });
  return states;
}

type Shown = ShownEnvironment & { states: EnvironmentStates | undefined };

async function showPage(
  request: Pick<Request, 'org' | 'host' | 'requestId' | 'path'>,
  { table, objects }: Pick<Services, 'table' | 'objects'>,
  { listed, onPage, details, states }: Page,
): Promise<EnvironmentOut[]> {
  const read = await Promise.all(
    onPage.map(async ({ id, name, type, entry }): Promise<Shown | { placeholder: EnvironmentOut } | null> => {
      try {
        const own = states?.get(id);
        if (own && 'unreadable' in own) throw own.unreadable;
        const { k: kind, s: state = null, r: reported, c: changed, ...rest } = EnvironmentEntry.parse(entry);
        const modified = lastModified({ k: kind, r: reported, c: changed, ...rest });
        const shown = await details.of(objects, id);
        return shown && { name, kind, state, reported, changed, modified, states: own, ...shown };
      } catch (error) {
        noteUnreadable('environments', request, `environment ${id}`, error);
        return { placeholder: unreadableEnvironment(request, name, type) };
      }
    }),
  );
  const readable = read.flatMap((one) => (one === null || 'placeholder' in one ? [] : [one]));
  const policies = readable.flatMap((one) => one.policies);
  const names = {
    policies: await readPolicyNames(table, request.org.id, policies),
    members: new Map(listed.map(({ id, name }) => [id, name])),
  };
  return read.flatMap((one): EnvironmentOut[] => {
    // An environment that was archived between the two reads is left out.
    if (one === null) return [];
    if ('placeholder' in one) return [one.placeholder];
    return [{ ...environmentOut(request, one, names), ...(one.states && { states: statesOut(one.states) }) }];
  });
}

/** The data of an environment by which lists filter and sort, from its entry in the catalogue. */
interface Listed {
  id: EnvironmentId;
  entry: Item;
  name: string;
  type: string;
  /** Microseconds; 0 = never. */
  modified: number;
  changed: number;
  /** Place in the order of states: non-compliant, unknown, compliant. */
  state: number;
}

/** An entry that does not fit its schema is listed too, with the name and the type that it holds. */
function listedEnvironment({ id, entry }: { id: EnvironmentId; entry: Item }): Listed {
  const { data } = EnvironmentEntry.safeParse(entry);
  const named = { id, entry, name: String(entry['n']), type: String(entry['k']) };
  const state = [false, null, true].indexOf(data?.s ?? null);
  return { ...named, modified: data ? lastModified(data) : 0, changed: data?.c ?? 0, state };
}

function matching(listed: Listed[], { name: text = '', type: types, space_id: spaces }: Query): Listed[] {
  // There are no spaces, so nothing matches a space.
  if (spaces.length > 0) return [];
  const wanted = text.toLowerCase();
  return listed.filter(
    ({ name, type }) =>
      name.toLowerCase().includes(wanted) && (types.length === 0 || types.some((one) => one === type)),
  );
}

/** Sorts by the asked field, then by name. Names are unique, so the order is total. */
function sorted(listed: Listed[], { sort, sort_direction }: Query): Listed[] {
  const byName = (one: Listed, other: Listed) => (one.name < other.name ? -1 : 1);
  const byTime = {
    name: () => 0,
    last_modified_at: (one: Listed, other: Listed) => one.modified - other.modified,
    last_changed_at: (one: Listed, other: Listed) => one.changed - other.changed,
    state: (one: Listed, other: Listed) => one.state - other.state,
  }[sort];
  const inOrder = listed.toSorted((one, other) => byTime(one, other) || byName(one, other));
  return sort_direction === 'asc' ? inOrder : inOrder.reverse();
}
