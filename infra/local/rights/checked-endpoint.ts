import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import { close, listen, portOf } from '../ports.ts';
import { readBody } from '../request-body.ts';
import { accessKeyIdOf } from '../settings.ts';
import { databaseAccesses } from './database-calls.ts';
import type { Access } from './evaluate.ts';
import type { FunctionRights } from './function-rights.ts';
import { keyAccesses } from './key-calls.ts';
import { queueAccesses } from './queue-calls.ts';

/** An endpoint that checks the calls of functions before it forwards them. */
export interface CheckedEndpoint {
  endpoint: string;
  stop(): Promise<void>;
}

/** What differs between the services behind such an endpoint. */
interface Service {
  accesses(target: string, body: string): Access[];
  /** Status and headers of a refusal. */
  refusal: { status: number; headers: Record<string, string> };
}

const SERVICES = {
  dynamodb: {
    accesses: databaseAccesses,
    refusal: { status: 400, headers: { 'content-type': 'application/x-amz-json-1.0' } },
  },
  sqs: {
    accesses: queueAccesses,
    // The SDK takes the name of the error from this header.
    refusal: {
      status: 403,
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-query-error': 'AccessDenied;Sender' },
    },
  },
  kms: {
    accesses: keyAccesses,
    refusal: { status: 400, headers: { 'content-type': 'application/x-amz-json-1.1' } },
  },
} as const satisfies Record<string, Service>;

/** The database accepts 16 MB in a call. No service behind this endpoint accepts more. */
const BODY_LIMIT = 16 * 1024 * 1024;
/** Longer than clients keep idle connections: a busy client does not notice in time that the server closed one. */
const KEEP_ALIVE_MILLIS = 75_000;

/**
 * Starts an endpoint in front of a service of the local stack. It refuses the calls that the role of the calling function
 * does not allow, and forwards the others. The access key id of a request tells the function; the signature itself is not
 * verified, since all processes belong to one stack.
 */
export async function startCheckedEndpoint(
  service: keyof typeof SERVICES,
  upstream: string,
  rights: FunctionRights,
): Promise<CheckedEndpoint> {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(upstream);
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MILLIS }, (request, response) => {
    check(service, rights, request, response)
      .then((body) => body && forward({ agent, hostname, port }, request, response, body))
      .catch((error: unknown) => {
        console.error(`The check of a call of ${service} failed`, error);
        response.destroy();
      });
  });
  await listen(server, 0, '127.0.0.1');
  const stop = async () => {
    await close(server);
    agent.destroy();
  };
  return { endpoint: `http://127.0.0.1:${portOf(server)}`, stop };
}

/** @returns the body of an allowed call, or undefined after the answer to a refused one */
async function check(
  service: keyof typeof SERVICES,
  rights: FunctionRights,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Buffer | undefined> {
  const { accesses, refusal } = SERVICES[service];
  const body = await readBody(request, BODY_LIMIT);
  if (body === null) throw new Error(`The body has more than ${BODY_LIMIT} bytes`);
  const target = String(request.headers['x-amz-target']);
  const accessKeyId = accessKeyIdOf(request.headers.authorization);
  const refused = rights.refusalOf(accessKeyId, () => accesses(target, body.toString()));
  if (!refused) return body;
  const answer = { __type: 'com.amazon.coral.service#AccessDeniedException', message: refused.message };
  response.writeHead(refusal.status, refusal.headers).end(JSON.stringify(answer));
  return undefined;
}

async function forward(
  to: { agent: Agent; hostname: string; port: string },
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): Promise<void> {
  const { connection: _, 'transfer-encoding': __, ...headers } = request.headers;
  const { method, url: path } = request;
  const forwarded = sendRequest({ ...to, method, path, headers: { ...headers, 'content-length': body.length } });
  // An error before the answer rejects `once`, and a later one the reading of the answer; without a listener it ends the process.
  forwarded.on('error', () => undefined);
  forwarded.end(body);
  // Node documents the argument of the event; `once` returns a list of anything.
  const [answer] = (await once(forwarded, 'response')) as [IncomingMessage];
  const { connection: ___, 'keep-alive': ____, ...answerHeaders } = answer.headers;
  response.writeHead(answer.statusCode ?? 500, answerHeaders);
  for await (const chunk of answer) response.write(chunk);
  response.end();
}
