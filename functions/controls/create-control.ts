import * as z from 'zod';
import { newControlWrites, prepareControl } from '#shared/controls/records/control-writes.ts';
import { controlExists } from '#shared/controls/rules/sentences.ts';
import { ControlIdentifier } from '#shared/evidence/rules/shared-fields.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { repeated } from '#shared/http/written.ts';
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
  makes: { at: '/controls/{org}/{identifier}', id: 'identifier' },
  errors: [controlExists],
  uses: { writes: ['CONTROL', 'CATALOGUE', 'BODY', 'AUDIT'], bucket: ['bodies:write'] },
  handler: async (request, { table, objects, clock }) => {
    const { org, caller, idempotency } = request;
    const { identifier, name, description = null, links } = request.body;
    const content = { name, description, links: links ?? {} };
    const prepared = prepareControl(objects, org.id, identifier, content);
    await prepared.upload();
    const stamp = { at: clock.now(), by: caller.name };
    const control = newControlWrites(org.id, identifier, content, prepared, stamp, () => 'taken' as const);
    const body = controlOut({ head: control.head, content, tags: {} }, request);
    const answer = { status: 201, body, made: { identifier } };
    const claim = claimWrites(idempotency, answer, stamp.at);
    const outcome = await table.transact<'taken' | EarlierRequest>([
      ...claim,
      ...control.writes,
      auditOf(request, {
        kind: 'control.created',
        subject: { type: 'control', id: control.head.id, name: identifier },
        after: { ...content },
        covers: control.covers,
      }),
    ]);
    if (outcome === 'taken') throw controlExists({ control: identifier, org: org.name });
    return outcome === 'done' ? answer : repeated(ControlOut, outcome);
  },
});
