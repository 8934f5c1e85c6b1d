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
import { auditOf } from '#shared/organizations/records/audit.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';

/** What both forms of the upsert say of a flow (wire flows §3 F1, F2). Absent or null leaves what is there. */
export const flowFields = {
  name: FlowName,
  description: z.string().nullish(),
  visibility: z.enum(['public', 'private']).nullish(),
};

/** A template in a request: how it is shown to readers, and the text under which it is kept. */
export interface GivenTemplate {
  shown: string | string[];
  text: string;
}

export interface GivenFlow {
  name: string;
  description?: string | null | undefined;
  visibility?: string | null | undefined;
  template?: GivenTemplate | undefined;
}

type Asked = Pick<Request, 'org' | 'caller' | 'receivedAt' | 'idempotency'>;
type Outcome = 'done' | 'again' | EarlierRequest;

/**
 * Creates the flow, or changes what is said of it: 201 or 200 (semantics §1.4). A name that is another flow's alias is
 * taken from it (semantics §14). Nothing is written where nothing changes.
 * @throws ApiError 404 for the long name of an archived flow
 */
export async function upsertFlow(request: Asked, given: GivenFlow, services: Services): Promise<Answer<'OK'>> {
  const { org } = request;
  let answer = ok(200);
  const outcome = await retrying(async (): Promise<Outcome> => {
    const found = await readFlowByName(services.table, services.objects, org.id, given.name);
    const isOwnName = found?.head.name === given.name;
    if (found && isOwnName && found.head.archived !== null) throw unknownFlow({ flow: given.name, org: org.name });
    answer = ok(isOwnName ? 200 : 201);
    return found && isOwnName
      ? update(request, found, given, services, answer)
      : create(request, given, services, answer);
  });
  return written(answer, outcome);
}

/** The facts after the request: what it leaves out stays (semantics §1.4). */
const changed = (before: FlowFacts, { description, visibility, template }: GivenFlow): FlowFacts => ({
  description: description ?? before.description,
  visibility: visibility ?? before.visibility,
  template: template?.shown ?? before.template,
});

/** What the audit log tells of a flow: its template by digest, since texts are cut there. */
const told = ({ description, visibility }: FlowFacts, template: string | null) => ({
  description,
  visibility,
  template,
});

async function create(request: Asked, given: GivenFlow, services: Services, answer: Answer): Promise<Outcome> {
  const { table, objects, clock } = services;
  const { org, caller, idempotency } = request;
  const at = clock.now();
  const id = newId<FlowId>(at);
  const after = changed(NO_FACTS, given);
  const facts = prepareFacts(objects, org.id, id, after);
  const template = prepareTemplate(objects, org.id, id, given.template?.text ?? '');
  await Promise.all([facts.upload(), template.upload()]);
  const flow = { id, name: given.name, at, by: caller.name, facts, template };
  const { writes } = newFlowWrites(org.id, flow, again);
  const subject = { type: 'flow', id, name: given.name };
  const audited = auditOf(request, { kind: 'flow.created', subject, after: told(after, template.digest) });
  return table.transact<'again' | EarlierRequest>([...claimWrites(idempotency, answer, at), ...writes, audited]);
}

async function update(
  request: Asked,
  flow: Flow,
  given: GivenFlow,
  services: Services,
  answer: Answer,
): Promise<Outcome> {
  const { table, objects, clock } = services;
  const { org, idempotency } = request;
  const claim = claimWrites(idempotency, answer, clock.now());
  const after = changed(flow.facts, given);
  if (isDeepStrictEqual(after, flow.facts)) return claimAlone(table, claim);
  const { id, name } = flow.head;
  const facts = prepareFacts(objects, org.id, id, after);
  const template = given.template && prepareTemplate(objects, org.id, id, given.template.text);
  await Promise.all([facts.upload(), template?.upload()]);
  const audited = auditOf(request, {
    kind: 'flow.changed',
    subject: { type: 'flow', id, name },
    before: told(flow.facts, flow.head.template),
    after: told(after, template ? template.digest : flow.head.template),
  });
  return changeFlow(table, org.id, flow, facts, template, [...claim, audited]);
}
