import { evaluationsGroup } from '#functions/evaluations/endpoints.ts';
import { expectationsGroup } from '#functions/expectations/endpoints.ts';
import { mcpGroup } from '#functions/mcp/endpoints.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import { environmentGroups } from '#test/support/environments.ts';

/** The door for agents, and what makes evidence to ask about. */
export const agentsApi = (): Promise<TestApi> =>
  testApi([...environmentGroups, evaluationsGroup, expectationsGroup, mcpGroup]);

const REVISION = '2025-11-25';
export const MODERN = '2026-07-28';

interface Sent {
  key?: string | undefined;
  headers?: Record<string, string>;
}

/** What an agent gets for a message. */
export interface AgentAnswer {
  status: number;
  json: { result?: Record<string, unknown>; error?: { code: number; message: string }; message?: string };
}

/** Sends a text as an agent of the revision with a handshake does. */
export async function sendText(api: TestApi, text: string, { key, headers = {} }: Sent = {}): Promise<AgentAnswer> {
  const answer = await api.call('POST', '/mcp', {
    text,
    ...(key !== undefined && { key }),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      ...headers,
    },
  });
  return { status: answer.status, json: answer.json as AgentAnswer['json'] };
}

export const send = (api: TestApi, method: string, params: object | undefined, sent: Sent = {}): Promise<AgentAnswer> =>
  sendText(api, JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params && { params }) }), sent);

/** Sends a message as an agent of the revision without a handshake does: each message says everything. */
export function sendModern(api: TestApi, method: string, params: Record<string, unknown>, { key }: Sent = {}) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const name = params['name'];
  return send(
    api,
    method,
    { ...params, _meta: meta },
    {
      key,
      headers: {
        'mcp-protocol-version': MODERN,
        'mcp-method': method,
        ...(typeof name === 'string' && { 'mcp-name': name }),
      },
    },
  );
}

/** What a tool answered. */
export interface ToolResult {
  isError?: boolean;
  content: { type: string; text: string }[];
  structuredContent?: Record<string, unknown>;
}

/** Calls a tool and returns its answer. */
export async function callTool(api: TestApi, key: string, name: string, args: object): Promise<ToolResult> {
  const { status, json } = await send(api, 'tools/call', { name, arguments: args }, { key });
  if (status !== 200 || !json.result) throw new Error(`${status} ${JSON.stringify(json)}`);
  return json.result as unknown as ToolResult;
}
