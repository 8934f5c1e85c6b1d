import { endpointGroup } from '#shared/http/endpoint.ts';
import { archiveFlow } from './archive-flow.ts';
import { getFlow } from './get-flow.ts';
import { getFlowFrequency } from './get-flow-frequency.ts';
import { getOrganizationFrequency } from './get-organization-frequency.ts';
import { listFlows } from './list-flows.ts';
import { putFlow, putFlowWithTemplate } from './put-flow.ts';
import { renameFlow } from './rename-flow.ts';

export const flowsGroup = endpointGroup({
  name: 'flows',
  about: 'Processes of delivery, each with a template that says what its trails must show.',
  endpoints: [
    putFlowWithTemplate,
    putFlow,
    listFlows,
    getFlow,
    getFlowFrequency,
    getOrganizationFrequency,
    archiveFlow,
    renameFlow,
  ],
});
