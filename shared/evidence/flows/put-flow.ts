import { isDeepStrictEqual } from 'node:util';
import { type FlowId, newId } from '#shared/base/ids.ts';
import type { FlowName } from '#shared/base/names.ts';
import { again, retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { authored } from '#shared/organizations/records/audit.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';
import { changeFacts, changeHead, newFlowWrites, prepareFacts, prepareTemplate } from '../records/flow-writes.ts';
import { type Flow, type FlowFacts, NO_FACTS, readFlowByName } from '../records/flows.ts';
import { legacyTemplateText } from '../records/templates.ts';
import { unknownFlow } from '../rules/sentences.ts';

/** What creating or changing a flow reads and writes. */
export const PUT_FLOW: Uses = {
  writes: ['FLOWNAME', 'FLOW', 'CATALOGUE', 'BODY', 'AUDIT'],
  bucket: ['bodies:read', 'bodies:write'],
};

/** A template as a caller gives it. */
interface GivenTemplate {
  /** What readers of the flow see. */
  shown: string | string[];
  /** What is stored and evaluated. */
  text: string;
}

interface GivenFlow {
  name: FlowName;
  description?: string | null | undefined;
  visibility?: string | null | undefined;
  template?: GivenTemplate | undefined;
}

/** Whether the flow is new. */
export interface FlowPut {
  isNew: boolean;
}

/**
 * Creates a flow, or changes the flow that has this name (rules/flows.md#create-or-update). If the name is an alias of
 * another flow, the new flow takes the alias over. If nothing changes, nothing is written.
 *
 * @throws ServiceError `not-found` for the long name of an archived flow
 */
export async function putFlow(stores: Stores, by: Author<FlowPut>, given: GivenFlow): Promise<FlowPut> {
  const { table, objects } = stores;
  const { org } = by;
  return retrying(async () => {
    const found = await readFlowByName(table, objects, org.id, given.name);
    const present = found?.head.name === given.name ? found : null;
    if (present && present.head.archived !== null) throw unknownFlow({ flow: given.name, org: org.name });
    const outcome = { isNew: present === null };
    const written = present
      ? await update(stores, by, present, given, outcome)
      : await create(stores, by, given, outcome);
    return written === 'again' ? written : outcome;
  });
}

/** The facts after the request: a field that the request leaves out stays unchanged. */
const withChanges = (before: FlowFacts, { description, visibility, template }: GivenFlow): FlowFacts => ({
  description: description ?? before.description,
  visibility: visibility ?? before.visibility,
  template: template?.shown ?? before.template,
});

/** The fields of a flow in the audit log. The template is a digest, because the audit log cuts long texts. */
const auditedFields = ({ description, visibility }: FlowFacts, template: string | null) => ({
  description,
  visibility,
  template,
});

async function create({ table, objects, clock }: Stores, by: Author<FlowPut>, given: GivenFlow, outcome: FlowPut) {
  const { org, caller } = by;
  const at = clock.now();
  const id = newId<FlowId>(at);
  const after = withChanges(NO_FACTS, given);
  const facts = prepareFacts(objects, org.id, id, after);
  const template = await prepareTemplate(table, objects, org.id, id, given.template?.text ?? '');
  await Promise.all([facts.upload(), template.upload()]);
  const flow = { id, name: given.name, at, by: caller.name, facts, template };
  const { writes, covers } = newFlowWrites(org.id, flow, again);
  const subject = { type: 'flow', id, name: given.name };
  const created = { kind: 'flow.created', subject, after: auditedFields(after, template.digest), covers } as const;
  return table.transact<'again'>([...authored(by, created, outcome), ...writes]);
}

async function update({ table, objects }: Stores, by: Author<FlowPut>, flow: Flow, given: GivenFlow, outcome: FlowPut) {
  const { org } = by;
  const after = withChanges(flow.facts, given);
  if (isDeepStrictEqual(after, flow.facts)) return storeClaim(table, by.claim(outcome));
  const { id, name } = flow.head;
  const facts = prepareFacts(objects, org.id, id, after);
  const template = given.template && (await prepareTemplate(table, objects, org.id, id, given.template.text));
  await Promise.all([facts.upload(), template?.upload()]);
  const newHead = changeHead(org.id, flow.head, template ? { template: template.digest } : {});
  const newFacts = changeFacts(org.id, id, flow.factsItem, facts);
  const changed = {
    kind: 'flow.changed',
    subject: { type: 'flow', id, name },
    before: auditedFields(flow.facts, flow.head.template),
    after: auditedFields(after, template ? template.digest : flow.head.template),
    covers: [newHead.cover, newFacts.cover],
  } as const;
  return table.transact<'again'>([
    ...authored(by, changed, outcome),
    newHead.write,
    ...newFacts.writes,
    ...(template?.writes ?? []),
  ]);
}

/**
 * Returns the template that a list of names stands for (rules/flows.md#legacy-upsert). An empty list is stored as the empty
 * template, because it requires nothing. Readers still see the empty list.
 */
export function templateOfNames(names: string[] | null | undefined): GivenTemplate | undefined {
  if (names == null) return undefined;
  return { shown: names, text: names.length === 0 ? '' : legacyTemplateText(names) };
}
