import type { archiveFlow as archive } from '#functions/flows/archive-flow.ts';
import type { getFlow } from '#functions/flows/get-flow.ts';
import type { getFlowFrequency } from '#functions/flows/get-flow-frequency.ts';
import type { listFlows } from '#functions/flows/list-flows.ts';
import type { putFlowWithTemplate as put } from '#functions/flows/put-flow.ts';
import type { renameFlow as rename } from '#functions/flows/rename-flow.ts';
import { type AnswerOf, operation } from '../client/operations.ts';

/** Operations on flows. */
export const flows = operation<typeof listFlows>()('GET', '/flows/{org}', 'reader');
export const flow = operation<typeof getFlow>()('GET', '/flows/{org}/{flow}', 'reader');
export const flowFrequency = operation<typeof getFlowFrequency>()('GET', '/flows/{org}/{flow}/frequency', 'reader');
export const putFlow = operation<typeof put>()('PUT', '/flows/{org}/template_file', 'member');
export const renameFlow = operation<typeof rename>()('PUT', '/flows/{org}/{flow_name}/rename', 'member');
export const archiveFlow = operation<typeof archive>()('PUT', '/flows/{org}/{flow}/archive', 'member');

export type Flow = AnswerOf<typeof getFlow>;
export type FlowFrequency = AnswerOf<typeof getFlowFrequency>;
