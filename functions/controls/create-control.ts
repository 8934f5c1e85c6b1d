import * as z from 'zod';
import { newControlWrites, prepareControl } from '#shared/controls/records/control-writes.ts';
import { controlExists } from '#shared/controls/rules/sentences.ts';
import { ControlIdentifier } from '#shared/evidence/rules/shared-fields.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerOf } from '#shared/http/idempotency.ts';
import { auditOf } from '#shared/organizations/records/audit.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import { ControlDescription, ControlLinks, ControlName } from './control-fields.ts';
import { ControlOut, controlOut } from './control-output.ts';

const ControlRequest = z
  .strictObject({
    identifier: ControlIdentifier,
    name: ControlName,
    description: ControlDescription.nullish(),
    links: ControlLinks.nullish(),
  })
  .meta({ id: 'ControlPostInput' });

/** POST /controls/{org}: creates a control with version 1 (rules/controls.md#create). */
export const createControl = endpoint({
  operation: 'createControl',
  method: 'POST',
  path: '/controls/{org}',
  summary: 'Create a control',
  description: 'An identifier belongs to one control for ever. An archived control keeps its identifier.',
  access: 'admin',
  feature: 'controls',
  params: z.object({ org: z.string() }),
  query: z.object({}),
  body: { kind: 'json', schema: ControlRequest },
  success: { 201: ControlOut },
  errors: [controlExists],
  uses: { writes: ['CONTROL', 'CATALOGUE', 'BODY', 'AUDIT'], bucket: ['bodies:write'] },
  handler: async (request, { table, objects, clock }) => {
    const { body, org, caller, idempotency } = request;
    const { identifier } = body;
    const content = { name: body.name, description: body.description ?? null, links: body.links ?? {} };
    const prepared = prepareControl(objects, org.id, identifier, content);
    await prepared.upload();
    const stamp = { at: clock.now(), by: caller.name };
    const made = newControlWrites(org.id, identifier, content, prepared, stamp, () => 'taken' as const);
    const answer = { status: 201, body: controlOut({ head: made.head, content, tags: {} }) };
    const claim = claimWrites(idempotency, answer, stamp.at);
    const outcome = await table.transact<'taken' | EarlierRequest>([
      ...claim,
      ...made.writes,
      auditOf(request, {
        kind: 'control.created',
        subject: { type: 'control', id: made.head.id, name: identifier },
        after: { ...content },
      }),
    ]);
    if (outcome === 'taken') throw controlExists({ control: identifier, org: org.name });
    return outcome === 'done' ? answer : { status: 201, body: ControlOut.parse(answerOf(outcome).body) };
  },
});
