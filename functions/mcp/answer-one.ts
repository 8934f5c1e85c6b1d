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
export async function answerOne({ address, headers, text: sent }: SentMessage, makeServer: () => McpServer) {
  const read = readMessage(sent);
  if ('refused' in read) return read.refused;
  const { message } = read;
  const request = new Request(address, { method: 'POST', headers });
  const answer = (await isLegacyRequest(request, message)) ? answerLegacy : answerModern;
  const response = await answer(request, message, makeServer);
  const text = await response.text();
  // A message of JSON-RPC, which nothing here looks into.
  return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
}

/** The library answers with JSON, because no tool sends anything before its answer. */
function answerModern(request: Request, message: object, makeServer: () => McpServer): Promise<Response> {
  const { fetch: answer } = createMcpHandler(makeServer, { legacy: 'reject' });
  return answer(request, { parsedBody: message });
}

/**
 * Agents of the revisions before 2026-07-28 begin with a handshake that names their revision. The library would answer them with
 * streams.
 */
async function answerLegacy(request: Request, message: object, makeServer: () => McpServer): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = makeServer();
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}

/** Reads a message, and refuses what the library would accept although this door cannot serve it. */
function readMessage(text: string): { message: object } | { refused: ReturnType<typeof refusal> } {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { refused: refusal(400, null, PARSE_ERROR, 'The message is not JSON') };
  }
  if (Array.isArray(message)) {
    return { refused: refusal(400, null, INVALID_REQUEST, 'A request is one message, and not a batch') };
  }
  if (typeof message !== 'object' || message === null) {
    return { refused: refusal(400, null, INVALID_REQUEST, 'A message is an object') };
  }
  // Any object may have these members.
  const { id = null, method } = message as { id?: unknown; method?: unknown };
  if (typeof method !== 'string' || !STREAMS.has(method)) return { message };
  return {
    refused: refusal(404, id, METHOD_NOT_FOUND, 'This service answers each request once and opens no streams'),
  };
}

const refusal = (status: number, id: unknown, code: number, message: string) => ({
  status,
  body: { jsonrpc: '2.0', id: typeof id === 'string' || typeof id === 'number' ? id : null, error: { code, message } },
});
