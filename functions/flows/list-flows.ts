import * as z from 'zod';
import type { FlowId } from '#shared/base/ids.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { type Flow, readFlows } from '#shared/evidence/records/flows.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { dataPage, dataPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { booleanField, integerField } from '#shared/http/query-fields.ts';
import { noteUnreadable } from '#shared/http/unreadable.ts';
import { DerivedItem } from '#shared/series/activity.ts';
import { type CatalogueEntry, readCatalogue } from '#shared/series/catalogue.ts';
import type { Unreadable } from '#shared/series/unreadable.ts';
import { FlowOut, flowOut, unreadableFlow } from './flow-output.ts';

const DEFAULT_PAGE = { page: 1, per_page: 20 };

const Query = z.object({
  page: integerField({ min: 1 }).optional().meta({ description: 'Number of the page, from 1' }),
  per_page: integerField({ min: 1, max: 100 }).optional().meta({ description: 'Records per page; the default is 20' }),
  search_by_name: z.string().optional().meta({ description: 'Only flows whose name contains this text' }),
  case_sensitive: booleanField().default(true),
  sort: z.enum(['name', 'latest_activity']).default('name'),
  sort_direction: z.enum(['asc', 'desc']).default('asc'),
});
type Query = z.output<typeof Query>;

/** GET /flows/{org}: all flows that are not archived, or one page of these (rules/flows.md#list-flows). */
export const listFlows = endpoint({
  operation: 'listFlows',
  method: 'GET',
  path: '/flows/{org}',
  summary: 'List the flows of an organization',
  description: 'An array of all flows; with `page` or `per_page` an object with one page.',
  access: 'reader',
  params: z.object({ org: z.string() }),
  query: Query,
  body: { kind: 'none' },
  success: { 200: z.union([z.array(FlowOut), dataPageSchema(FlowOut).meta({ id: 'FlowsPage' })]) },
  errors: [],
  uses: READ_BODIES,
  handler: async (request, { table, objects }) => {
    const { query, org } = request;
    const listed = [...(await readCatalogue(table, org.id, 'flow')).values()].map(listedFlow);
    const wanted = sortFlows(filterFlows(listed, query), query);
    const readOutputs = async (flows: Listed[]) => {
      const names = new Map(flows.map(({ id, name }) => [id, name]));
      const toOutput = (flow: Flow | Unreadable<FlowId>) => {
        if (!('unreadable' in flow)) return flowOut(flow, request);
        noteUnreadable('flows', request, `flow ${flow.id}`, flow.unreadable);
        return unreadableFlow(flow.id, names.get(flow.id) ?? '', request);
      };
      // A flow can be archived between the read of the catalogue and the read of the flow.
      return (await readFlows(table, objects, org.id, flows)).map(toOutput).filter(({ archived }) => !archived);
    };
    if (query.page === undefined && query.per_page === undefined)
      return { status: 200, body: await readOutputs(wanted) };
    const { page = DEFAULT_PAGE.page, per_page: perPage = DEFAULT_PAGE.per_page } = query;
    const items = await readOutputs(wanted.slice((page - 1) * perPage, page * perPage));
    const shown = { page, perPage, total: wanted.length, items };
    return pageAnswer(request, shown, dataPage(shown));
  },
});

interface Listed extends Pick<CatalogueEntry<FlowId>, 'id' | 'activity'> {
  name: string;
  /** Time of the latest activity in microseconds; 0 if there was none, so that such a flow sorts as the oldest. */
  latest: number;
}

function listedFlow({ id, entry, activity }: CatalogueEntry<FlowId>): Listed {
  const { data } = DerivedItem.safeParse(activity);
  return { id, activity, name: String(entry['n']), latest: data?.at ?? 0 };
}

function filterFlows(flows: Listed[], { search_by_name: text, case_sensitive: isExact }: Query): Listed[] {
  if (!text) return flows;
  const comparable = isExact ? (name: string) => name : (name: string) => name.toLowerCase();
  return flows.filter(({ name }) => comparable(name).includes(comparable(text)));
}

/** Flows with the same time of activity are sorted by name. Names are unique, so the order is total. */
function sortFlows(flows: Listed[], { sort, sort_direction }: Query): Listed[] {
  const byName = (one: Listed, other: Listed) => (one.name < other.name ? -1 : 1);
  const ascending =
    sort === 'name' ? byName : (one: Listed, other: Listed) => one.latest - other.latest || byName(one, other);
  const inOrder = flows.toSorted(ascending);
  return sort_direction === 'asc' ? inOrder : inOrder.reverse();
}
