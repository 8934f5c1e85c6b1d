import type { FlowId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { type CatalogueEntry, readCatalogue } from '#shared/series/catalogue.ts';
import type { Unreadable } from '#shared/series/unreadable.ts';
import { DerivedItem, type Flow, readFlows } from '../records/flows.ts';
import { FLOWS } from '../rules/series-kinds.ts';

/** Which flows are listed, and in which order. */
interface FlowSelection {
  /** Text that the names contain; all flows without it. */
  text?: string | undefined;
  isCaseSensitive: boolean;
  sort: 'name' | 'latest_activity';
  direction: 'asc' | 'desc';
  /** From the first flow on; all flows without a page. */
  page?: { page: number; perPage: number } | undefined;
}

/** A flow of a list. A record that cannot be read has only its id and its name. */
type ListedFlow = Flow | (Unreadable<FlowId> & { name: string });

/**
 * Lists flows that are not archived (rules/flows.md#list-flows). Reads the catalogue, and the records of the page.
 *
 * @returns the flows of the page, and how many are selected in all
 */
export async function listFlows(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  selection: FlowSelection,
): Promise<{ total: number; flows: ListedFlow[] }> {
  const { page } = selection;
  const listed = [...(await readCatalogue(table, org.id, FLOWS)).values()].map(listedFlow);
  const wanted = sortFlows(filterFlows(listed, selection), selection);
  const shown = page ? wanted.slice((page.page - 1) * page.perPage, page.page * page.perPage) : wanted;
  const names = new Map(shown.map(({ id, name }) => [id, name]));
  const read = await readFlows(table, objects, org.id, shown);
  const flows = read.flatMap((flow): ListedFlow[] => {
    if ('unreadable' in flow) return [{ ...flow, name: names.get(flow.id) ?? '' }];
    // A flow can be archived between the read of the catalogue and the read of the flow.
    return flow.head.archived === null ? [flow] : [];
  });
  return { total: wanted.length, flows };
}

interface Listed extends Pick<CatalogueEntry<FlowId>, 'id' | 'activity'> {
  name: string;
  /** Time of the latest activity in microseconds; 0 if there was none, so that such a flow sorts as the oldest. */
  latest: number;
}

function listedFlow({ id, entry, activity }: CatalogueEntry<FlowId>): Listed {
  const { data } = DerivedItem.safeParse(activity);
  return { id, activity, name: String(entry['n']), latest: data?.at ?? 0 };
}

function filterFlows(flows: Listed[], { text, isCaseSensitive: isExact }: FlowSelection): Listed[] {
  if (!text) return flows;
  const comparable = isExact ? (name: string) => name : (name: string) => name.toLowerCase();
  return flows.filter(({ name }) => comparable(name).includes(comparable(text)));
}

/** Flows with the same time of activity are sorted by name. Names are unique, so the order is total. */
function sortFlows(flows: Listed[], { sort, direction }: FlowSelection): Listed[] {
  const byName = (one: Listed, other: Listed) => (one.name < other.name ? -1 : 1);
  const ascending =
    sort === 'name' ? byName : (one: Listed, other: Listed) => one.latest - other.latest || byName(one, other);
  const inOrder = flows.toSorted(ascending);
  return direction === 'asc' ? inOrder : inOrder.reverse();
}
