import type * as z from 'zod';
import { type FlowId, newId, type OrganizationId } from '#shared/base/ids.ts';
import type { FlowName } from '#shared/base/names.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { again } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import { type PreparedBody, prepareBody, prepareSharedBody } from '#shared/bodies/bodies.ts';
import { lineOf } from '#shared/bodies/covered-lines.ts';
import type { Erasure } from '#shared/bodies/erasure.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { catalogueWrite } from '#shared/series/catalogue.ts';
import { absent, onlyIf, unchanged } from '#shared/table/expressions.ts';
import type { Table, Write } from '#shared/table/table.ts';
import { FLOWS } from '../rules/series-kinds.ts';
import { type FactsItem, type FlowFacts, type FlowHead, namedFlows, SHOWN_FACTS, SHOWN_FLOW } from './flows.ts';
import { flowFactsKey, flowHeadKey } from './keys.ts';

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

function headCover(before: FlowHead | undefined, head: FlowHead): Cover {
  const line = (one: FlowHead) => lineOf(SHOWN_FLOW, one, { flow: one.id });
  return coverOf('flows/flow', before && line(before), line(head));
}

/**
 * Changes the head of a flow. The outcome of the write is `again` if another writer has changed the head since it was
 * read.
 */
export function changeHead(org: OrganizationId, before: FlowHead, change: Partial<FlowHead>) {
  const head = { ...before, ...change, rev: before.rev + 1 };
  const put = { ...flowHeadKey(org, head.id), v: 1, ...head };
  const write: Write<'again'> = { put, ...onlyIf(unchanged(before, 'rev')), refused: again };
  return { cover: headCover(before, head), write };
}

type Facts = z.infer<typeof FactsItem>;

function factsCover(flow: FlowId, before: Facts | null, item: Facts): Cover {
  const line = (one: Facts) => lineOf(SHOWN_FACTS, one, { flow });
  return coverOf('flows/facts', before ? line(before) : undefined, line(item));
}

/**
 * Replaces the facts of a flow. The outcome of the writes is `again` if another writer has changed the facts since they were
 * read. The facts have their own revision: head and facts are two items, and a reader may have read them before and after
 * another write.
 *
 * @param before null if there were none
 */
export function changeFacts(
  org: OrganizationId,
  flow: FlowId,
  before: Facts | null,
  facts: PreparedBody,
  erased?: Erasure,
): { cover: Cover; writes: Write<'again'>[] } {
  const item = { facts: facts.body, rev: (before?.rev ?? 0) + 1, ...(erased && { erased }) };
  const put = { ...flowFactsKey(org, flow), v: 1, ...item };
  const isUnchanged = onlyIf(before ? unchanged(before, 'rev') : absent());
  return { cover: factsCover(flow, before, item), writes: [{ put, ...isUnchanged, refused: again }, ...facts.writes] };
}
