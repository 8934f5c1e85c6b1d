import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { type FlowId, newId } from '#shared/base/ids.ts';
import { again, retrying } from '#shared/base/retry.ts';
import { changeFlow, newFlowWrites, prepareFacts, prepareTemplate } from '#shared/evidence/records/flow-writes.ts';
import { type Flow, type FlowFacts, NO_FACTS, readFlowByName } from '#shared/evidence/records/flows.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { FlowName } from '#shared/evidence/rules/shared-fields.ts';
import type { Answer, Request } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import { claimAlone, ok, written } from '#shared/http/written.ts';
import { auditing, auditOf } from '#shared/organizations/records/audit.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';

/** The fields that both endpoints of the upsert accept. Absent or null leaves a field unchanged. */
export const flowFields = {
  name: FlowName,
  description: z.string().nullish(),
  visibility: z.enum(['public', 'private']).nullish(),
};

/** A template in a request. */
export interface GivenTemplate {
  /** What readers of the flow see. */
  shown: string | string[];
  /** What is stored and evaluated. */
  text: string;
}

export interface GivenFlow {
  name: string;
  description?: string | null | undefined;
  visibility?: string | null | undefined;
  template?: GivenTemplate | undefined;
}

type UpsertRequest = Pick<Request, 'org' | 'caller' | 'receivedAt' | 'idempotency'>;
type Outcome = 'done' | 'again' | EarlierRequest;

/**
 * Creates a flow, or changes the flow that has this name (rules/flows.md#create-or-update). If the name is an alias of
 * another flow, the new flow takes the alias over. If nothing changes, nothing is written.
 * @returns status 201 for a new flow, 200 for an existing one
 * @throws ServiceError 404 for the long name of an archived flow
 */
export async function upsertFlow(request: UpsertRequest, given: GivenFlow, services: Services): Promise<Answer<'OK'>> {
  const { org } = request;
  const made = { flow: given.name };
  let answer = ok(200, made);
  const outcome = await retrying(async (): Promise<Outcome> => {
    const found = await readFlowByName(services.table, services.objects, org.id, given.name);
    const isOwnName = found?.head.name === given.name;
    if (found && isOwnName && found.head.archived !== null) throw unknownFlow({ flow: given.name, org: org.name });
    answer = ok(isOwnName ? 200 : 201, made);
    return found && isOwnName
      ? update(request, found, given, services, answer)
      : create(request, given, services, answer);
  });
  return written(answer, outcome);
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

async function create(request: UpsertRequest, given: GivenFlow, services: Services, answer: Answer): Promise<Outcome> {
  const { table, objects, clock } = services;
  const { org, caller, idempotency } = request;
  const at = clock.now();
  const id = newId<FlowId>(at);
  const after = withChanges(NO_FACTS, given);
  const facts = prepareFacts(objects, org.id, id, after);
  const template = await prepareTemplate(table, objects, org.id, id, given.template?.text ?? '');
  await Promise.all([facts.upload(), template.upload()]);
  const flow = { id, name: given.name, at, by: caller.name, facts, template };
  const { writes, covers } = newFlowWrites(org.id, flow, again);
  const subject = { type: 'flow', id, name: given.name };
  const fields = auditedFields(after, template.digest);
  const audited = auditOf(request, { kind: 'flow.created', subject, after: fields, covers });
  return table.transact<'again' | EarlierRequest>([...claimWrites(idempotency, answer, at), ...writes, audited]);
}

async function update(
  request: UpsertRequest,
  flow: Flow,
  given: GivenFlow,
  services: Services,
  answer: Answer,
): Promise<Outcome> {
  const { table, objects, clock } = services;
  const { org, idempotency } = request;
  const claim = claimWrites(idempotency, answer, clock.now());
  const after = withChanges(flow.facts, given);
  if (isDeepStrictEqual(after, flow.facts)) return claimAlone(table, claim);
  const { id, name } = flow.head;
  const facts = prepareFacts(objects, org.id, id, after);
  const template = given.template && (await prepareTemplate(table, objects, org.id, id, given.template.text));
  await Promise.all([facts.upload(), template?.upload()]);
  const audited = {
    kind: 'flow.changed',
    subject: { type: 'flow', id, name },
    before: auditedFields(flow.facts, flow.head.template),
    after: auditedFields(after, template ? template.digest : flow.head.template),
  } as const;
  return changeFlow(table, org.id, flow, facts, template, auditing(request, audited, claim));
}
