import { type FlowId, newId, type OrganizationId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import { type PreparedBody, prepareBody, prepareSharedBody } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { catalogueRemoval, catalogueWrite } from '#shared/series/catalogue.ts';
import { activityKey } from '#shared/series/keys.ts';
import type { Table, Write } from '#shared/table/table.ts';
import type { Flow, FlowFacts, FlowHead } from './flows.ts';
import { flowFactsKey, flowHeadKey, flowNameKey } from './keys.ts';

/** What a new flow begins with; reports make flows with nothing but a name (semantics §3.1). */
export interface NewFlow {
  name: string;
  at: Micros;
  by: string;
  /** Minted here unless given: bodies are made ready for an id before the flow is there. */
  id?: FlowId;
  template?: PreparedTemplate;
  facts?: PreparedBody;
}

/**
 * The writes that make a flow. A name that is only an alias is taken from its former holder (semantics §14).
 * @param taken what it means that the name became another flow's meanwhile
 */
export function newFlowWrites<R>(
  org: OrganizationId,
  flow: NewFlow,
  taken: () => R,
): { head: FlowHead; writes: Write<R>[] } {
  const { name, at, by, id = newId(at), template = NO_TEMPLATE, facts } = flow;
  const head: FlowHead = { id, name, template: template.digest, created: at, by, archived: null, rev: 1 };
  return {
    head,
    writes: [
      claimName(org, name, id, taken),
      { put: { ...flowHeadKey(org, id), v: 1, ...head } },
      ...(facts ? [{ put: { ...flowFactsKey(org, id), v: 1, facts: facts.body, rev: 1 } }, ...facts.writes] : []),
      ...template.writes,
      catalogueWrite(org, 'flow', id, { n: name }),
    ],
  };
}

export const prepareFacts = (objects: Objects, org: OrganizationId, flow: FlowId, facts: FlowFacts): PreparedBody =>
  prepareBody(objects, org, JSON.stringify(facts), `flow:${flow}`);

/** A template made ready to become a flow's; a null digest is the empty one, which needs no body. */
export interface PreparedTemplate {
  digest: string | null;
  writes: Write[];
  upload(): Promise<void>;
}

const NO_TEMPLATE: PreparedTemplate = { digest: null, writes: [], upload: async () => {} };

/** @param text as it is kept and evaluated: YAML, or the legacy list as JSON */
export const prepareTemplate = (objects: Objects, org: OrganizationId, flow: FlowId, text: string): PreparedTemplate =>
  text === '' ? NO_TEMPLATE : prepareSharedBody(objects, org, text, `flow:${flow}`);

/** A name is free when nobody holds it, or when its holder has since been renamed. */
const claimName = <R>(org: OrganizationId, name: string, flow: FlowId, taken: (holder: unknown) => R): Write<R> => ({
  put: { ...flowNameKey(org, name), v: 1, flow, current: true },
  ConditionExpression: 'attribute_not_exists(pk) OR #current = :no',
  ExpressionAttributeNames: { '#current': 'current' },
  ExpressionAttributeValues: { ':no': false },
  refused: (old) => taken(old?.['flow']),
});

/** Writes a changed head over the one that was read. */
const headWrite = <R>(org: OrganizationId, head: FlowHead, changed: () => R): Write<R> => ({
  put: { ...flowHeadKey(org, head.id), v: 1, ...head, rev: head.rev + 1 },
  ConditionExpression: '#rev = :rev',
  ExpressionAttributeNames: { '#rev': 'rev' },
  ExpressionAttributeValues: { ':rev': head.rev },
  refused: changed,
});

/** Writes changed facts over those that were read. Head and facts are two items: a reader may have met them apart. */
const factsWrite = <R>(
  org: OrganizationId,
  { head, factsRev }: Flow,
  facts: PreparedBody,
  changed: () => R,
): Write<R> => ({
  put: { ...flowFactsKey(org, head.id), v: 1, facts: facts.body, rev: factsRev + 1 },
  ...(factsRev === 0
    ? { ConditionExpression: 'attribute_not_exists(pk)' }
    : {
        ConditionExpression: '#rev = :rev',
        ExpressionAttributeNames: { '#rev': 'rev' },
        ExpressionAttributeValues: { ':rev': factsRev },
      }),
  refused: changed,
});

/**
 * A flow's facts changed, and its template where one is given.
 * @param claim the request's idempotency claim; refused first, so that its outcome is the one that counts
 * @returns `again` when another writer was first, or what the refused claim said
 */
export async function changeFlow<C>(
  table: Table,
  org: OrganizationId,
  flow: Flow,
  facts: PreparedBody,
  template: PreparedTemplate | undefined,
  claim: Write<C>[],
): Promise<'done' | 'again' | C> {
  const head = template ? { ...flow.head, template: template.digest } : flow.head;
  return table.transact<'again' | C>([
    ...claim,
    headWrite(org, head, again),
    factsWrite(org, flow, facts, again),
    ...facts.writes,
    ...(template?.writes ?? []),
  ]);
}

/**
 * Gives a flow another name. The old one stays as an alias; an alias of another flow is taken from it (semantics §14).
 * @returns `taken` when the name is another flow's present one, `again` when another writer was first
 */
export async function renameFlow<C>(
  table: Table,
  org: OrganizationId,
  head: FlowHead,
  name: string,
  claim: Write<C>[],
): Promise<'done' | 'taken' | 'again' | C> {
  return table.transact<'taken' | 'again' | C>([
    ...claim,
    // Held by this very flow: another request has just given it the name.
    claimName(org, name, head.id, (holder) => (holder === head.id ? 'again' : 'taken')),
    { put: { ...flowNameKey(org, head.name), v: 1, flow: head.id, current: false } },
    headWrite(org, { ...head, name }, again),
    catalogueWrite(org, 'flow', head.id, { n: name }),
  ]);
}

const MICROS_PER_SECOND = 1_000_000;

/** What an archived flow is called from then on (semantics §14). */
export const archivedName = (name: string, at: Micros): string =>
  `${name}-archived-at-${Math.floor(at / MICROS_PER_SECOND)}`;

/**
 * Takes a flow out of the lists and frees its name; everything that it holds stays (semantics §14). Where the long name
 * is another flow's, as when one name is archived twice within a second, the next second's is taken.
 */
export async function archiveFlow<C>(
  table: Table,
  org: OrganizationId,
  head: FlowHead,
  at: Micros,
  claim: Write<C>[],
): Promise<'done' | 'again' | C> {
  for (let named = at; ; named += MICROS_PER_SECOND) {
    const name = archivedName(head.name, named);
    const outcome = await table.transact<'taken' | 'again' | C>([
      ...claim,
      headWrite(org, { ...head, name, archived: at }, again),
      claimName(org, name, head.id, () => 'taken'),
      { remove: flowNameKey(org, head.name) },
      catalogueRemoval(org, 'flow', head.id),
      { remove: activityKey(org, 'flow', head.id) },
    ]);
    if (outcome !== 'taken') return outcome;
  }
}
