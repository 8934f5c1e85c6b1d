import { endpointGroup } from '#shared/http/endpoint.ts';
import { answerMessage } from './answer-message.ts';
import { getResourceMetadata } from './get-resource-metadata.ts';

export const mcpGroup = endpointGroup({
  name: 'mcp',
  about: 'The door for agents: tools that answer questions about evidence with the rights of the caller.',
  endpoints: [answerMessage, getResourceMetadata],
});
