import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

/** One message of an agent, as it was sent. */
interface SentMessage {
  address: string;
  headers: Record<string, string>;
  text: string;
}

/** Codes of JSON-RPC 2.0. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;

/** A stream of changes stays open, and nothing here tells of changes. */
const STREAMS = new Set(['subscriptions/listen', 'resources/subscribe', 'resources/unsubscribe']);

/**
 * Answers one message with JSON (rules/agents.md#door). Nothing is kept between messages: each gets a server of its own.
 *
 * @param makeServer makes the server with its tools
 * @returns status and body; the body of 202 is empty
 */
export async function answerOne(sent: SentMessage, makeServer: () => McpServer) {
  const refused = refusalOf(sent.text);
  if (refused) return refused;
  const request = () => new Request(sent.address, { method: 'POST', headers: sent.headers, body: sent.text });
  const { fetch: answerModern } = createMcpHandler(makeServer, { legacy: 'reject', responseMode: 'json' });
  const response = (await isLegacyRequest(request()))
    ? await answerLegacy(request(), makeServer)
    : await answerModern(request());
  const text = await response.text();
  // A message of JSON-RPC, which nothing here looks into.
  return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
}

/**
 * Agents of the revisions before 2026-07-28 begin with a handshake that names their revision. The library would answer them with
 * streams.
 */
async function answerLegacy(request: Request, makeServer: () => McpServer): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = makeServer();
  await server.connect(transport);
  try {
    return await transport.handleRequest(request);
  } finally {
    await server.close();
  }
}

/** Refuses what the library would accept although this door cannot serve it. */
function refusalOf(text: string) {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return refusal(400, null, PARSE_ERROR, 'The message is not JSON');
  }
  if (Array.isArray(message)) return refusal(400, null, INVALID_REQUEST, 'A request is one message, and not a batch');
  if (typeof message !== 'object' || message === null)
    return refusal(400, null, INVALID_REQUEST, 'A message is an object');
  // Any object may have these members.
  const { id = null, method } = message as { id?: unknown; method?: unknown };
  if (typeof method === 'string' && STREAMS.has(method)) {
    return refusal(404, id, METHOD_NOT_FOUND, 'This service answers each request once and opens no streams');
  }
  return null;
}

const refusal = (status: number, id: unknown, code: number, message: string) => ({
  status,
  body: { jsonrpc: '2.0', id: typeof id === 'string' || typeof id === 'number' ? id : null, error: { code, message } },
});
