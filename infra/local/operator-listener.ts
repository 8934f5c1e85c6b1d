import type { IncomingMessage, ServerResponse } from 'node:http';
import { type LocalServer, startServer } from './http.ts';
import { readBody } from './request-body.ts';

/** Runs one operator command. In a region, this is an invocation of the operator function. */
type RunCommand = (command: unknown) => Promise<unknown>;

const BODY_LIMIT = 1024 * 1024;
const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/**
 * Starts the HTTP server for operator commands (rules/organizations.md#operator). The server is not part of the gateway and
 * accepts requests from this machine only. It asks for no credential and can create API keys, so it must also refuse
 * requests of web pages, which a browser on this machine would send. A command is sent as `POST` with a JSON body.
 */
export const startOperatorListener = (run: RunCommand): Promise<LocalServer> =>
  startServer(
    (request, response) => answer(request, response, run),
    (error, response) => {
      console.error('An operator command failed', error);
      send(response, 500, { ok: false, message: 'The command failed; the log of the local stack says why.' });
    },
  );

async function answer(request: IncomingMessage, response: ServerResponse, run: RunCommand): Promise<void> {
  const body = await readBody(request, BODY_LIMIT);
  if (!isFromLocalProgram(request))
    return send(response, 403, { ok: false, message: 'Only programs on this machine may send commands.' });
  if (request.method !== 'POST') return send(response, 405, { ok: false, message: 'Commands are sent with POST.' });
  const command = body && parse(body);
  if (!command) return send(response, 400, { ok: false, message: 'A command is a JSON document of at most 1 MiB.' });
  send(response, 200, await run(command.value));
}

/**
 * Whether the request comes from a program on this machine and not from a web page. A page sends the header `Origin`, or a
 * content type that needs no preflight request. A page whose host name resolves to this machine sends another `Host`.
 */
function isFromLocalProgram({ socket, headers }: IncomingMessage): boolean {
  const host = (headers.host ?? '').replace(/:\d+$/, '');
  const isJson = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
  const isLocal = LOOPBACK.has(socket.remoteAddress ?? '') && (host === '127.0.0.1' || host === 'localhost');
  return isLocal && isJson && headers.origin === undefined;
}

function parse(body: Buffer): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(body.toString('utf8')) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function send(response: ServerResponse, status: number, answer: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}
