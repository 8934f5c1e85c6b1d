import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { routeSelector, type Selected } from '#shared/http/routes.ts';
import { type GatewayRoute, gatewayRoutes } from '../../gateway-routes.ts';
import { KEEP_ALIVE_MILLIS } from '../http.ts';
import { close, isCode, listen, portError, portOf } from '../ports.ts';
import { readBody } from '../request-body.ts';
import { parseTarget, toEvent } from './payload-event.ts';

export type FunctionHandler = (
  event: APIGatewayProxyEventV2,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2>;

interface GatewayOptions {
  groups: readonly EndpointGroup[];
  /** Returns the function of a group. */
  functionOf: (group: EndpointGroup) => FunctionHandler;
  /** Answers requests that no route matches. */
  defaultFunction: FunctionHandler;
  /** TCP port; 0 for any free port. */
  port: number;
  /** Changes the event of a request before its function gets it. @default unchanged */
  prepare?: (event: APIGatewayProxyEventV2) => APIGatewayProxyEventV2;
  /** Gets the answer of each request while it is made. */
  during?: ((answer: Promise<void>) => Promise<void>) | undefined;
  /** How long a function may take, in milliseconds. */
  timeoutMillis?: number;
}

export interface Gateway {
  url: string;
  stop(): Promise<void>;
}

const MIB = 1024 * 1024;
/** Largest body that an HTTP API accepts, in bytes (rules/requests.md#size-of-requests). */
const REQUEST_LIMIT = 10 * MIB;
/** Largest event and largest answer of a function, as JSON, in bytes. */
const PAYLOAD_LIMIT = 6 * MIB;
/** Request line and header values together, in bytes. */
const HEADERS_LIMIT = 10_240;
/** The gateway gives up after 30 seconds. Functions have a time limit of one second less. */
const TIMEOUT_MILLIS = 29_000;
/** How long running requests may take to end when the gateway stops. */
const GRACE_MILLIS = 1_000;

/**
 * Serves the endpoints as API Gateway does: the functions get the same events, and the gateway answers with the same errors
 * (rules/requests.md#path-decoding, rules/requests.md#size-of-requests).
 *
 * @throws StartError if the port is taken
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const select = routeSelector(gatewayRoutes(options.groups));
  const functions = new Map(options.groups.map((group) => [group, options.functionOf(group)]));
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const answered = answer({ request, response, select, functions, options });
    (options.during?.(answered) ?? answered).catch((error: unknown) => {
      console.error('The local gateway failed', error);
      refuse(response, 500, 'Internal Server Error');
    });
  };
  const servers = await listenOnLoopback(serve, options.port);
  const [first] = servers;
  if (!first) throw new Error('The gateway has no server');
  return {
    url: `http://localhost:${portOf(first)}`,
    stop: async () => {
      await Promise.all(servers.map((server) => close(server, GRACE_MILLIS)));
    },
  };
}

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** Some clients resolve `localhost` to 127.0.0.1 and others to ::1, so the gateway listens on both if both exist. */
async function listenOnLoopback(serve: Serve, port: number): Promise<Server[]> {
  const servers: Server[] = [];
  for (const host of ['127.0.0.1', '::1']) {
    const server = createServer({ maxHeaderSize: 8 * HEADERS_LIMIT, keepAliveTimeout: KEEP_ALIVE_MILLIS }, serve);
    server.on('clientError', refuseUnreadable);
    try {
      await listen(server, servers[0] ? portOf(servers[0]) : port, host);
      servers.push(server);
    } catch (error) {
      const isAbsent = isCode(error, 'EADDRNOTAVAIL') || isCode(error, 'EAFNOSUPPORT');
      if (servers.length > 0 && isAbsent) continue;
      await Promise.all(servers.map((started) => close(started)));
      throw portError(error, port) ?? error;
    }
  }
  return servers;
}

interface Call {
  request: IncomingMessage;
  response: ServerResponse;
  /** Selects the route of a request; undefined = the default route. */
  select: (method: string, path: string) => Selected<GatewayRoute> | undefined;
  functions: ReadonlyMap<EndpointGroup, FunctionHandler>;
  options: GatewayOptions;
}

async function answer({ request, response, select, functions, options }: Call): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  const body = await readBody(request, REQUEST_LIMIT);
  if (headerBytes(request) > HEADERS_LIMIT) return refuse(response, 431, 'Request Header Fields Too Large');
  if (body === null) return refuse(response, 413, 'Request Too Long');
  const target = parseTarget(url);
  if (!target) return refuse(response, 400, 'Bad Request');

  const match = select(method, target.path);
  const requestId = newRequestId();
  const event = toEvent(
    {
      method,
      target: url,
      headers: request.headersDistinct,
      body,
      sourceIp: (request.socket.remoteAddress ?? '127.0.0.1').replace('::ffff:', ''),
      httpVersion: request.httpVersion,
      requestId,
      at: Date.now(),
    },
    target,
    match,
  );
  if (Buffer.byteLength(JSON.stringify(event)) > PAYLOAD_LIMIT) return refuse(response, 413, 'Request Too Long');
  const run = (match && functions.get(match.route.group)) ?? options.defaultFunction;
  const name = match?.route.group.name ?? 'unknown-route';
  const result = await invoke(run, options.prepare?.(event) ?? event, name, options.timeoutMillis ?? TIMEOUT_MILLIS);
  if (result === 'late') return refuse(response, 503, 'Service Unavailable', requestId);
  if (result === 'failed') return refuse(response, 500, 'Internal Server Error', requestId);
  send(response, result, requestId);
}

/** Ids are as long as those of the gateway, because items store them. */
const newRequestId = (): string => randomBytes(11).toString('base64');

const headerBytes = ({ method = '', url = '', rawHeaders }: IncomingMessage) =>
  method.length + url.length + rawHeaders.reduce((sum, text, i) => sum + (i % 2 === 1 ? text.length : 0), 0);

async function invoke(
  run: FunctionHandler,
  event: APIGatewayProxyEventV2,
  name: string,
  timeoutMillis: number,
): Promise<APIGatewayProxyStructuredResultV2 | 'late' | 'failed'> {
  const end = Date.now() + timeoutMillis;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), timeoutMillis);
  });
  try {
    const result = await Promise.race([run(event, contextOf(event, name, end)), late]);
    const isWithinLimit = result === 'late' || Buffer.byteLength(JSON.stringify(result)) <= PAYLOAD_LIMIT;
    if (isWithinLimit) return result;
    console.error(`The function ${name} returned more than ${PAYLOAD_LIMIT} bytes`);
    return 'failed';
  } catch (error) {
    console.error(`The function ${name} failed`, error);
    return 'failed';
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the context object that Lambda passes to a handler. @param end milliseconds since the epoch */
function contextOf({ requestContext }: APIGatewayProxyEventV2, name: string, end: number): Context {
  const refuseCallback = () => {
    throw new Error('Handlers return a promise; Lambda has no callbacks any more');
  };
  return {
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${name}`,
    memoryLimitInMB: '1024',
    awsRequestId: requestContext.requestId,
    logGroupName: name,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, end - Date.now()),
    done: refuseCallback,
    fail: refuseCallback,
    succeed: refuseCallback,
  };
}

function send(response: ServerResponse, result: APIGatewayProxyStructuredResultV2, requestId: string): void {
  const { statusCode = 200, headers = {}, cookies, body = '', isBase64Encoded } = result;
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, String(value));
  if (cookies) response.setHeader('set-cookie', cookies);
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/json');
  response.setHeader('apigw-requestid', requestId);
  response.setHeader('content-length', bytes.length);
  response.writeHead(statusCode).end(bytes);
}

/** Sends an error of the gateway itself. */
function refuse(response: ServerResponse, status: number, message: string, requestId: string = newRequestId()): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = JSON.stringify({ message });
  const headers = { 'content-type': 'application/json', 'content-length': body.length, 'apigw-requestid': requestId };
  response.writeHead(status, { ...headers, ...(status === 413 && { connection: 'close' }) }).end(body);
}

/** Answers a request that the HTTP parser cannot read, and closes the connection. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const body = JSON.stringify({ message: STATUS_CODES[status] });
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\n`;
  socket.end(`${head}content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);
}
