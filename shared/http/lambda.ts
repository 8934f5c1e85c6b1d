import middy from '@middy/core';
import httpRouterHandler from '@middy/http-router';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { Services } from '#shared/http/services.ts';
import { counted, newCount } from '#shared/table/meter.ts';
import { accessEntry, faultEntry, type Log, type RequestFacts, writeToLog } from './access-log.ts';
import { errorResult, type Result, withCommonHeaders } from './answers.ts';
import { Authenticator } from './authentication/authenticate.ts';
import { challengeFor } from './authentication/sent-credential.ts';
import type { Endpoint, EndpointGroup } from './endpoint.ts';
import { type Call, type CallEvent, endpointChain } from './endpoint-chain.ts';
import { toApiError } from './faults.ts';
import { fullPath, readEvent } from './gateway-event.ts';

export type GroupHandler = (event: APIGatewayProxyEventV2, context?: Context) => Promise<Result>;

export interface GroupOptions {
  /** Where log lines go; the console unless said. */
  log?: Log;
  /** Wall clock in milliseconds, for durations. */
  wallClock?: () => number;
}

/**
 * The handler of one endpoint group: middy's router over the group's definitions, inside the chain that gives every
 * answer its request id, headers, error body and log line.
 *
 * @param services what handlers are given; a function is called once, at the first request
 */
export function groupHandler(
  group: EndpointGroup,
  services: Services | (() => Services),
  { log = writeToLog, wallClock = Date.now }: GroupOptions = {},
): GroupHandler {
  const lazy = once(() => {
    const ready = typeof services === 'function' ? services() : services;
    return { services: ready, authenticator: new Authenticator(ready.principals(ready.table), ready.clock) };
  });
  const logFault = (facts: RequestFacts, message: string, error: unknown) =>
    log(faultEntry(group.name, facts, message, error, wallClock()));
  const router = routerOf(group, (endpoint) => endpointChain(endpoint, lazy, logFault));
  const chain = middy<CallEvent, Result>({ timeoutEarlyInMillis: 0 })
    .use({
      onError: (request) => {
        const { call } = request.event;
        const error = toApiError(request.error, { idempotent: 'idempotency-key' in call.request.headers });
        if (error.status >= 500) logFault(call.facts, error.message, error.cause ?? request.error);
        const refused = errorResult(error, { oauth: call.oauthErrors });
        request.response = { ...refused, headers: challengeFor(call.request, refused.headers) };
      },
    })
    .handler(router);
  return async (event, context) => {
    const call = newCall(event, wallClock());
    const count = newCount();
    const result = await counted(() => chain(callEvent(event, call), context ?? ({} as Context)), count);
    log(accessEntry(group.name, call.facts, result.statusCode, count, wallClock()));
    return withCommonHeaders(result, call.request.requestId);
  };
}

function newCall(event: APIGatewayProxyEventV2, startedAt: number): Call {
  const request = readEvent(event);
  const { requestId, method, path } = request;
  return { request, facts: { requestId, startedAt, method, path }, oauthErrors: false };
}

/** The router reads the path from here, and would prefer parameters that the gateway matched by its own rules. */
const callEvent = (event: APIGatewayProxyEventV2, call: Call): CallEvent => ({
  ...event,
  pathParameters: {},
  requestContext: {
    ...event.requestContext,
    http: { ...event.requestContext.http, path: call.request.path },
  },
  call,
});

function routerOf(
  group: EndpointGroup,
  chainOf: (endpoint: Endpoint) => (event: CallEvent, context: Context) => Promise<Result>,
) {
  const routes = group.endpoints.toSorted(bySpecificity).map((endpoint) => ({
    method: endpoint.method,
    path: fullPath(endpoint.path).replace(REST_OF_PATH, '{proxy+}'),
    handler: namingRest(endpoint, chainOf(endpoint)),
  }));
  return httpRouterHandler<CallEvent, Result>({ routes } as unknown as Parameters<
    typeof httpRouterHandler<CallEvent, Result>
  >[0]);
}

/** A last parameter that takes the rest of the path, slashes included. */
const REST_OF_PATH = /\{(\w+)\+\}$/;

/** The router knows the rest of a path by one name alone: its parameter gets the name that the definition gives it. */
function namingRest<R>(
  { path }: Endpoint,
  chain: (event: CallEvent, context: Context) => R,
): (event: CallEvent, context: Context) => R {
  const name = REST_OF_PATH.exec(path)?.[1];
  if (name === undefined) return chain;
  return (event, context) => {
    const { proxy, ...others } = event.pathParameters ?? {};
    event.pathParameters = { ...others, [name]: proxy };
    return chain(event, context);
  };
}

/**
 * As API Gateway chooses among paths that match: from left to right a fixed segment before a parameter, a parameter
 * before the rest of the path, which takes one segment at least. The router itself takes the first.
 */
function bySpecificity(one: Endpoint, other: Endpoint): number {
  const rank = (segment: string | undefined) => {
    if (segment === undefined) return 0;
    if (!segment.startsWith('{')) return 0;
    return segment.endsWith('+}') ? 2 : 1;
  };
  const [left, right] = [one.path.split('/'), other.path.split('/')];
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const order = rank(left[i]) - rank(right[i]);
    if (order !== 0) return order;
  }
  return 0;
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
