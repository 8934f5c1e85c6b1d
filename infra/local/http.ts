import { once } from 'node:events';
import {
  type Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as sendRequest,
} from 'node:http';
import { buffer } from 'node:stream/consumers';
import { close, listen, portOf } from './ports.ts';

/** A server that accepts requests from this machine only. */
export interface LocalServer {
  endpoint: string;
  stop(): Promise<void>;
}

/** Longer than clients keep idle connections: a busy client does not notice in time that the server closed one. */
export const KEEP_ALIVE_MILLIS = 75_000;

/**
 * Starts a server on the loopback address.
 *
 * @param failed answers a request whose handling threw
 * @param port TCP port; 0 for any free port
 */
export async function startServer(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<unknown>,
  failed: (error: unknown, response: ServerResponse, request: IncomingMessage) => void,
  port = 0,
): Promise<LocalServer> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MILLIS }, (request, response) => {
    handle(request, response).catch((error: unknown) => failed(error, response, request));
  });
  await listen(server, port, '127.0.0.1');
  return { endpoint: `http://127.0.0.1:${portOf(server)}`, stop: () => close(server) };
}

interface Forwardable {
  method: string | undefined;
  /** Path and query, as sent. */
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body?: Buffer | undefined;
}

export interface Forwarded {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Forwards a request unchanged. `fetch` would decompress bodies and normalize the path. */
export async function forward(
  upstream: string,
  { method, url, headers, body }: Forwardable,
  agent?: Agent,
): Promise<Forwarded> {
  const { hostname, port } = new URL(upstream);
  const request = sendRequest({ agent, hostname, port, method, path: url, headers });
  // An error before the answer rejects `once`, and a later one the reading of the answer; without a listener it ends the process.
  request.on('error', () => undefined);
  request.end(body);
  // Node documents the argument of the event; `once` returns a list of anything.
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 500, headers: answer.headers, body: await buffer(answer) };
}
