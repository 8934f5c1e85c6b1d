import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { AGENT_USES } from '#shared/agents/agent-uses.ts';
import { BASE_PATH } from '#shared/base/addresses.ts';
import { sentence } from '#shared/base/errors.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { personUnknown, tokenRefused } from '#shared/http/sentences.ts';
import { answerOne } from './answer-one.ts';
import { type AgentServices, type Asking, agentServer } from './server.ts';

/** Largest message, in bytes. The longest argument of a tool is the text of a policy. */
const LARGEST_MESSAGE = 256 * 1024;
const messageTooLarge = sentence('too-large', 'A message may have at most 256 KB (262144 bytes)');
const foreignOrigin = sentence(
  'refused',
  'The Origin of the request is not this service. Programs outside of a browser send no Origin',
);

/** What the door and the protocol read of a request's headers. */
const HEADERS = ['origin', 'accept', 'content-type', 'mcp-method', 'mcp-name', 'mcp-protocol-version'];

const Message = z.unknown().meta({ description: 'A message of JSON-RPC 2.0' });
const Refused = z
  .looseObject({
    jsonrpc: z.literal('2.0').describe('The protocol of messages'),
    id: z.union([z.string(), z.number()]).nullable().describe('The id of the message; null if it has none'),
    error: z
      .looseObject({
        code: z.int().describe('Code of the error'),
        message: z.string().describe('What is wrong'),
        data: z.looseObject({ request_id: z.string().describe('Id of the request') }).describe('More about the error'),
      })
      .describe('Which rule of the protocol the message breaks'),
  })
  .meta({ id: 'AgentRefusal', description: 'The message breaks a rule of the protocol' });

/**
 * The door for agents: one message in the Model Context Protocol (rules/agents.md#door).
 *
 * @param makeServer makes the server of one message, with what it offers
 */
export const doorTo = (makeServer: (asking: Asking) => McpServer) =>
  endpoint({
    operation: 'answerAgent',
    method: 'POST',
    path: '/mcp',
    summary: 'Answer a message of an agent, in the Model Context Protocol',
    description:
      'Streamable HTTP without sessions: each request is one message and gets one JSON answer. Protocol revisions 2026-07-28 and 2025-11-25. The tools read what the caller may read, and some store a draft, which a person confirms. People of the identity provider may call it with an access token.',
    access: 'authenticated',
    takesAccessTokens: true,
    readsHeaders: HEADERS,
    body: { kind: 'text', schema: z.string(), limit: LARGEST_MESSAGE, tooLarge: messageTooLarge },
    success: {
      200: Message,
      202: z.unknown().meta({ description: 'A notification, which has no answer' }),
      400: Refused,
      404: Refused,
      406: Refused,
      415: Refused,
    },
    errors: [messageTooLarge, foreignOrigin, tokenRefused, personUnknown],
    uses: AGENT_USES,
    changesByContent: true,
    handler: async ({ body, headers: { origin, ...headers }, host, ...asking }, services: AgentServices) => {
      // A page of another site must not speak with this service through the browser of a person (rules/agents.md#origin).
      if (origin !== undefined && origin !== host) throw foreignOrigin();
      const faults: unknown[] = [];
      const answer = await answerOne({ address: `${host}${BASE_PATH}/mcp`, headers, text: body }, () =>
        makeServer({ ...asking, host, services, onFault: (error) => faults.push(error) }),
      );
      if (faults.length > 0) throw faults[0];
      return answer.status < 400 ? answer : { ...answer, body: withRequestId(answer.body, asking.requestId) };
    },
  });

/** POST /mcp: the door to the tools of this service. */
export const answerMessage = doorTo(agentServer);

const ProtocolError = z.looseObject({ error: z.looseObject({ data: z.record(z.string(), z.unknown()).optional() }) });

/** A refusal of the protocol names the request as every refusal does, at the place that the protocol has for it. */
function withRequestId(body: unknown, requestId: string) {
  const { error, ...message } = ProtocolError.parse(body);
  return { ...message, error: { ...error, data: { ...error.data, request_id: requestId } } };
}
