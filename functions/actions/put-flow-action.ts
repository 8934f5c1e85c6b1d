import * as z from 'zod';
import type { FlowId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { retrying } from '#shared/base/retry.ts';
import { noErrors, refuseIfAny, shownInput } from '#shared/base/validation.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { ActionName } from '#shared/evidence/rules/shared-fields.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ok, written } from '#shared/http/written.ts';
import { actionSaved } from '#shared/notifications/action-audit.ts';
import { changeAction, createAction } from '#shared/notifications/records/action-writes.ts';
import { findActionByName } from '#shared/notifications/records/actions.ts';
import { FLOW_TRIGGERS } from '#shared/notifications/rules/records.ts';
import { mintSecret } from '#shared/notifications/rules/signature.ts';
import { TargetsIn } from '#shared/notifications/target-request.ts';
import { checkTargets, readTargets } from '#shared/notifications/targets.ts';
import { auditing } from '#shared/organizations/records/audit.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import type { Table } from '#shared/table/table.ts';

const MOST_FLOWS = 500;
const MOST_TRIGGERS = 50;
const LOOK_UPS_AT_ONCE = 16;

/** The body of the request. Other fields are ignored, also times inside targets (`rules/notifications.md#saving`). */
const FlowActionReport = z
  .object({
    name: ActionName,
    type: z.literal('flow').nullish(),
    targets: TargetsIn,
    flows: z.array(z.string()).max(MOST_FLOWS).nullish().meta({ description: 'Names; none = every flow' }),
    triggers: z.array(z.enum(FLOW_TRIGGERS)).min(1).max(MOST_TRIGGERS).meta({
      description: '`ON_APPROVAL` and `ON_RELEASE` are accepted and never fire',
    }),
  })
  .meta({ id: 'FlowAction' });

/** Creates the flow action with this name, or replaces its content (`rules/notifications.md#saving`). */
export const putFlowAction = endpoint({
  operation: 'putFlowAction',
  method: 'PUT',
  path: '/actions/{org}/flows',
  summary: 'Create a flow action, or update the one with this name',
  description: 'The number stays over all updates. Targets that answered 410 are enabled again.',
  access: 'member',
  row: 3,
  params: z.object({ org: z.string() }),
  query: z.object({}),
  body: { kind: 'json', schema: FlowActionReport },
  success: { 200: z.literal('OK') },
  makes: { at: '/actions/{org}/{action_number}', id: 'action_number' },
  errors: [],
  checks: [({ sent }, { guard }) => checkTargets(sent, guard)],
  uses: {
    reads: ['ACTIONSECRET'],
    writes: ['ACTION', 'ACTIONS', 'ACTIONNAME', 'ACTIONSECRET', 'HEALTH', '@NOTIFIED', 'AUDIT'],
    removes: ['ACTIONNAME', 'HEALTH'],
  },
  handler: async (request, { table, clock, guard }) => {
    const { body, org, caller, idempotency } = request;
    const { targets, secret } = readTargets(body.targets, guard);
    const flows = await flowsOrRefuse(table, org, body.flows ?? []);
    const given = { name: body.name, triggers: body.triggers, flows, environments: [], targets, secret };
    const minted = secret ?? mintSecret();
    let answer = ok(200);
    const outcome = await retrying(async (): Promise<'done' | 'again' | EarlierRequest> => {
      const before = await findActionByName(table, org.id, 'flow', body.name);
      const at = clock.now();
      const claim = (number: number, covers: readonly Cover[]) => {
        answer = ok(200, { action_number: String(number) });
        return auditing(request, actionSaved('flow', before, given), claimWrites(idempotency, answer, at))(covers);
      };
      return before
        ? changeAction(table, org.id, before, given, at, (covers) => claim(before.number, covers))
        : createAction(table, org.id, 'flow', given, minted, { at, by: caller.name }, claim);
    });
    return written(answer, outcome);
  },
});

/**
 * Finds flows by their names or aliases (`rules/notifications.md#flows-of-an-action`).
 * @returns the ids of the flows, each once
 * @throws ServiceError 400 with `errors.flows[n]` for each name without a flow
 */
async function flowsOrRefuse(table: Table, org: Organization, names: readonly string[]): Promise<FlowId[]> {
  const errors = noErrors();
  const found = await inParallel(names.entries(), LOOK_UPS_AT_ONCE, async ([n, name]) => {
    const flow = await findFlow(table, org.id, name);
    if (!flow) errors[`flows[${n}]`] = unknownFlow({ flow: shownInput(name), org: org.name }).message;
    return flow?.id ?? [];
  });
  refuseIfAny(errors);
  return [...new Set(found.flat())];
}
