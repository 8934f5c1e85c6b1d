import * as z from 'zod';
import { TargetsIn } from '#functions/forms/target-request.ts';
import { checkTargets, readTargets } from '#functions/forms/targets.ts';
import type { Services } from '#functions/services.ts';
import { AnyFlowName } from '#shared/base/names.ts';
import { ActionName } from '#shared/evidence/rules/shared-fields.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite, ok } from '#shared/http/written.ts';
import { FLOW_TRIGGERS } from '#shared/notifications/rules/records.ts';
import { SAVE_FLOW_ACTION, saveFlowAction } from '#shared/notifications/save-flow-action.ts';

const MOST_FLOWS = 500;
const MOST_TRIGGERS = 50;

/** The body of the request. Other fields are ignored, also times inside targets (`rules/notifications.md#saving`). */
const FlowActionReport = z
  .object({
    name: ActionName.describe('Name of the action. An existing action of this name is updated'),
    type: z.literal('flow').nullish().describe('Always `flow`'),
    targets: TargetsIn.describe('Where events are sent'),
    flows: z.array(AnyFlowName).max(MOST_FLOWS).nullish().meta({ description: 'Names; none = every flow' }),
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
  body: { kind: 'json', schema: FlowActionReport },
  success: { 200: z.literal('OK') },
  makes: { at: '/actions/{org}/{action_number}', id: 'action_number' },
  checks: [({ sent }, { guard }) => checkTargets(sent, guard)],
  uses: SAVE_FLOW_ACTION,
  handler: (request, stores: Pick<Services, 'table' | 'clock' | 'guard'>) => {
    const { name, triggers, flows, targets } = request.body;
    const given = { name, triggers, flows: flows ?? [], ...readTargets(targets, stores.guard) };
    return answerWrite(
      request,
      (by) => saveFlowAction(stores, by, given),
      (number: number) => ok(200, { action_number: String(number) }),
    );
  },
});
