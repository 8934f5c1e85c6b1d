import { Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import { forward, type LocalServer, startServer } from '../http.ts';
import { readBody } from '../request-body.ts';
import { accessKeyIdOf } from '../settings.ts';
import { databaseAccesses } from './database-calls.ts';
import type { Access } from './evaluate.ts';
import type { FunctionRights } from './function-rights.ts';
import { keyAccesses, queueAccesses } from './service-calls.ts';

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

/**
 * Starts an endpoint in front of a service of the local stack. It refuses the calls that the role of the calling function
 * does not allow, and forwards the others. The access key id of a request tells the function; the signature itself is not
 * verified, since all processes belong to one stack.
 */
export async function startCheckedEndpoint(
  service: keyof typeof SERVICES,
  upstream: string,
  rights: FunctionRights,
): Promise<LocalServer> {
  const agent = new Agent({ keepAlive: true });
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await check(service, rights, request, response);
    if (!body) return;
    const { connection: _, 'transfer-encoding': __, ...sent } = request.headers;
    const { method, url } = request;
    const headers = { ...sent, 'content-length': `${body.length}` };
    const answer = await forward(upstream, { method, url, headers, body }, agent);
    const { connection: ___, 'keep-alive': ____, 'transfer-encoding': _____, ...received } = answer.headers;
    response.writeHead(answer.status, received).end(answer.body);
  };
  const server = await startServer(serve, (error, response) => {
    console.error(`The check of a call of ${service} failed`, error);
    response.destroy();
  });
  const stop = async () => {
    await server.stop();
    agent.destroy();
  };
  return { endpoint: server.endpoint, stop };
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
