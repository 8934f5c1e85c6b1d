import type * as z from 'zod';
import { type FlowId, newId, type OrganizationId } from '#shared/base/ids.ts';
import { type FlowName, storedName } from '#shared/base/names.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { again } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import { type PreparedBody, prepareBody, prepareSharedBody } from '#shared/bodies/bodies.ts';
import { type Covering, lineOf } from '#shared/bodies/covered-lines.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { catalogueRemoval, catalogueWrite } from '#shared/series/catalogue.ts';
import { activityKey } from '#shared/series/keys.ts';
import { absent, onlyIf, unchanged } from '#shared/table/expressions.ts';
import type { Table, Write } from '#shared/table/table.ts';
import { FLOWS } from '../rules/series-kinds.ts';
import {
  type FactsItem,
  type Flow,
  type FlowFacts,
  type FlowHead,
  namedFlows,
  SHOWN_FACTS,
  SHOWN_FLOW,
} from './flows.ts';
import { flowFactsKey, flowHeadKey, flowNameKey } from './keys.ts';

/** A new flow. A report creates a flow with a name only (rules/flows.md#automatic-creation). */
interface NewFlow {
  name: FlowName;
  at: Micros;
  by: string;
  /** Minted here unless given. A caller that prepares bodies needs the id before the flow exists. */
  id?: FlowId;
  template?: PreparedTemplate;
  facts?: PreparedBody;
}

/**
 * Returns the writes that create a flow. A name that is only an alias is taken from its flow (rules/flows.md#aliases).
 *
 * @param taken outcome if the name has become the present name of another flow
 */
export function newFlowWrites<R>(
  org: OrganizationId,
  flow: NewFlow,
  taken: () => R,
): { head: FlowHead; covers: Cover[]; writes: Write<R | 'again'>[] } {
  const { name, at, by, id = newId(at), template = NO_TEMPLATE, facts } = flow;
  const head: FlowHead = { id, name, template: template.digest, created: at, by, archived: null, rev: 1 };
  const item = facts && { facts: facts.body, rev: 1 };
  return {
    head,
    covers: [headCover(undefined, head), ...(item ? [factsCover(id, null, item)] : [])],
    writes: [
      namedFlows.claim(org, name, id, taken),
      { put: { ...flowHeadKey(org, id), v: 1, ...head } },
      ...(item ? [{ put: { ...flowFactsKey(org, id), v: 1, ...item } }, ...facts.writes] : []),
      ...template.writes,
      catalogueWrite(org, FLOWS, id, { n: name }),
    ],
  };
}

/** Prepares the facts of a flow for storage. */
export const prepareFacts = (objects: Objects, org: OrganizationId, flow: FlowId, facts: FlowFacts): PreparedBody =>
  prepareBody(objects, org, JSON.stringify(facts), `flow:${flow}`);

/** A template text that is ready for storage. The empty template has the digest null and no body. */
interface PreparedTemplate {
  digest: string | null;
  writes: Write<'again'>[];
  upload(): Promise<void>;
}

const NO_TEMPLATE: PreparedTemplate = { digest: null, writes: [], upload: async () => {} };

/**
 * Prepares a template text for storage (rules/flows.md#stored-templates).
 *
 * @param text YAML, or the legacy list as JSON; `""` is the empty template
 */
export const prepareTemplate = async (
  table: Table,
  objects: Objects,
  org: OrganizationId,
  flow: FlowId,
  text: string,
): Promise<PreparedTemplate> =>
  text === '' ? NO_TEMPLATE : prepareSharedBody(table, objects, org, text, `flow:${flow}`);

/** Replaces the head, if no other writer has changed it since it was read. */
const headWrite = <R>(org: OrganizationId, before: FlowHead, head: FlowHead, changed: () => R): Write<R> => ({
  put: { ...flowHeadKey(org, head.id), v: 1, ...head },
  ...onlyIf(unchanged(before, 'rev')),
  refused: changed,
});

/** Returns the head after a change. */
const changedHead = (head: FlowHead, change: Partial<FlowHead>): FlowHead => ({
  ...head,
  ...change,
  rev: head.rev + 1,
});

function headCover(before: FlowHead | undefined, head: FlowHead): Cover {
  const line = (one: FlowHead) => lineOf(SHOWN_FLOW, one, { flow: one.id });
  return coverOf('flows/flow', before && line(before), line(head));
}

type Facts = z.infer<typeof FactsItem>;

/** What a change of a flow's facts leaves behind. @param before null if there were none */
export function factsCover(flow: FlowId, before: Facts | null, item: Facts): Cover {
  const line = (one: Facts) => lineOf(SHOWN_FACTS, one, { flow });
  return coverOf('flows/facts', before ? line(before) : undefined, line(item));
}

/**
 * Replaces the facts, if no other writer has changed them since they were read. The facts have their own revision:
 * head and facts are two items, and a reader may have read them before and after another write.
 */
const factsWrite = <R>(org: OrganizationId, { head, factsItem }: Flow, item: Facts, changed: () => R): Write<R> => ({
  put: { ...flowFactsKey(org, head.id), v: 1, ...item },
  ...onlyIf(factsItem ? unchanged(factsItem, 'rev') : absent()),
  refused: changed,
});

/**
 * Changes the facts of a flow and, if one is given, its template.
 *
 * @param flow the flow that the caller read
 * @param others returns the request's idempotency claim, which comes first in the transaction, so that its refusal decides
 *   the outcome, and the audit entry
 * @returns `again` if another writer was first, or the outcome of the refused claim
 */
export async function changeFlow<C>(
  table: Table,
  org: OrganizationId,
  flow: Flow,
  facts: PreparedBody,
  template: PreparedTemplate | undefined,
  others: Covering<C>,
): Promise<'done' | 'again' | C> {
  const head = changedHead(flow.head, template ? { template: template.digest } : {});
  const item = { facts: facts.body, rev: (flow.factsItem?.rev ?? 0) + 1 };
  return table.transact<'again' | C>([
    ...others([headCover(flow.head, head), factsCover(head.id, flow.factsItem, item)]),
    headWrite(org, flow.head, head, again),
    factsWrite(org, flow, item, again),
    ...facts.writes,
    ...(template?.writes ?? []),
  ]);
}

/**
 * Renames a flow. The old name stays as an alias. If the new name is an alias of another flow, that flow loses it
 * (rules/flows.md#rename).
 *
 * @returns `taken` if another flow has the name, `again` if another writer was first, or the outcome of the refused
 *   claim
 */
export async function renameFlow<C>(
  table: Table,
  org: OrganizationId,
  head: FlowHead,
  name: FlowName,
  others: Covering<C>,
): Promise<'done' | 'taken' | 'again' | C> {
  const renamed = changedHead(head, { name });
  return table.transact<'taken' | 'again' | C>([
    ...others([headCover(head, renamed)]),
    ...namedFlows.rename(org, head, name),
    headWrite(org, head, renamed, again),
    catalogueWrite(org, FLOWS, head.id, { n: name }),
  ]);
}

const MICROS_PER_SECOND = 1_000_000;

/** Returns the long name of a flow that is archived at this time (rules/flows.md#archive). */
const archivedName = (name: FlowName, at: Micros): FlowName =>
  storedName(`${name}-archived-at-${Math.floor(at / MICROS_PER_SECOND)}`);

/**
 * Archives a flow (rules/flows.md#archive). If another flow has the long name, because the same name was archived twice
 * within a second, the long name of the next free second is used.
 *
 * @returns `again` if another writer was first, or the outcome of the refused claim
 */
export async function archiveFlow<C>(
  table: Table,
  org: OrganizationId,
  head: FlowHead,
  at: Micros,
  others: Covering<C>,
): Promise<'done' | 'again' | C> {
  for (let named = at; ; named += MICROS_PER_SECOND) {
    const name = archivedName(head.name, named);
    const archived = changedHead(head, { name, archived: at });
    const outcome = await table.transact<'taken' | 'again' | C>([
      ...others([headCover(head, archived)]),
      headWrite(org, head, archived, again),
      namedFlows.claim(org, name, head.id, () => 'taken'),
      { remove: flowNameKey(org, head.name) },
      catalogueRemoval(org, FLOWS, head.id),
      { remove: activityKey(org, FLOWS.name, head.id) },
    ]);
    if (outcome !== 'taken') return outcome;
  }
}
