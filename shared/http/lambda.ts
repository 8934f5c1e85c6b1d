import middy from '@middy/core';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { type Log, writeToLog } from '#shared/base/log-lines.ts';
import type { CallerServices, ChainServices } from '#shared/http/services.ts';
import { counted, newCount } from '#shared/table/meter.ts';
import { TableState } from '#shared/table/table-state.ts';
import { accessEntry, faultEntry, type RequestFacts } from './access-log.ts';
import { errorResult, type Result, withCommonHeaders } from './answers.ts';
import { Authenticator } from './authentication/authenticate.ts';
import { metadataOf } from './authentication/resource-metadata.ts';
import { challengeFor } from './authentication/sent-credential.ts';
import type { Call, CallEvent, Ready } from './call.ts';
import type { Endpoint, EndpointGroup } from './endpoint.ts';
import { endpointChain } from './endpoint-chain.ts';
import { statusOf } from './errors.ts';
import { toServiceError } from './faults.ts';
import { fullPath, readEvent } from './gateway-event.ts';
import { RequestLimiter } from './limits/request-limiter.ts';
import { routeSelector } from './routes.ts';
import { notFound } from './sentences.ts';

export type GroupHandler = (event: APIGatewayProxyEventV2, context?: Context) => Promise<Result>;

interface GroupOptions {
  /** Where log lines go; the console unless said. */
  log?: Log;
  /** Wall clock in milliseconds, for durations. */
  wallClock?: () => number;
}

/** The services of a function that serves a group. The type of a group without its endpoints' needs demands nothing more. */
type ServicesFor<Needs> = [Needs] extends [never] ? ChainServices : ChainServices & Needs;

/**
 * The handler of one endpoint group: a router over the group's definitions, inside the chain that gives every answer its
 * request id, headers, error body and log line. A request that no endpoint matches gets the same 404 as from the function
 * for unknown routes (rules/requests.md#unknown-routes).
 *
 * @param services what handlers are given; a function is called once, at the first request
 */
export function groupHandler<Needs>(
  group: EndpointGroup<Needs>,
  services: ServicesFor<Needs> | (() => ServicesFor<Needs>),
  { log = writeToLog, wallClock = Date.now }: GroupOptions = {},
): GroupHandler {
  const lazy = once((): Ready => {
    const ready = typeof services === 'function' ? services() : services;
    const { table, clock } = ready;
    return {
      services: ready,
      callers: once(() => callersOf(ready)),
      ...(table && { state: new TableState({ table, clock }) }),
    };
  });
  const logFault = (facts: RequestFacts, message: string, error: unknown) =>
    log(faultEntry(group.name, facts, message, error, wallClock()));
  const router = routerOf(group, (endpoint) => endpointChain(endpoint, lazy, logFault));
  const chain = middy<CallEvent, Result>({ timeoutEarlyInMillis: 0 })
    .use({
      onError: (request) => {
        const { call } = request.event;
        const error = toServiceError(request.error, { idempotent: 'idempotency-key' in call.request.headers });
        if (statusOf(error) >= 500) logFault(call.facts, error.message, error.cause ?? request.error);
        const refused = errorResult(error, { oauth: call.oauthErrors, requestId: call.request.requestId });
        const metadata = call.resource && metadataOf(call.resource);
        request.response = { ...refused, headers: challengeFor(call.request, refused.headers, metadata) };
      },
    })
    .handler(router);
  return async (event, context) => {
    const call = newCall(event, wallClock());
    const count = newCount();
    // Tests call without a context. Nothing here reads it then.
    const result = await counted(() => chain({ ...event, call }, context ?? ({} as Context)), count);
    log(accessEntry(group.name, call.facts, result.statusCode, count, wallClock()));
    return withCommonHeaders(result, call.request.requestId);
  };
}

/** @throws Error in a function that has no directory of callers, for an endpoint that asks who calls */
function callersOf(services: ChainServices) {
  if (!hasCallers(services)) {
    throw new Error('An endpoint asks who calls, and its function has no directory of callers');
  }
  const { limits } = services;
  return {
    services,
    authenticator: new Authenticator(services.principals(services.table), services.clock, services.accessTokens),
    limiter: limits && new RequestLimiter(services, limits),
  };
}

const hasCallers = (services: ChainServices): services is CallerServices =>
  services.table !== undefined &&
  services.principals !== undefined &&
  services.address !== undefined &&
  services.guard !== undefined &&
  services.engines !== undefined &&
  services.entryIndex !== undefined;

function newCall(event: APIGatewayProxyEventV2, startedAt: number): Call {
  const request = readEvent(event);
  const { requestId, method, path } = request;
  return { request, facts: { requestId, startedAt, method, path }, oauthErrors: false };
}

/** Selects the endpoint as the gateway would select its route. The gateway itself knows only the first part of most paths. */
function routerOf(
  group: EndpointGroup,
  chainOf: (endpoint: Endpoint) => (event: CallEvent, context: Context) => Promise<Result>,
): (event: CallEvent, context: Context) => Promise<Result> {
  const select = routeSelector(
    group.endpoints.map((endpoint) => ({
      method: endpoint.method,
      path: fullPath(endpoint.path),
      chain: chainOf(endpoint),
    })),
  );
  return async (event, context) => {
    const { method, path } = event.call.request;
    const selected = select(method, path);
    if (!selected) throw notFound();
    event.pathParameters = selected.parameters;
    return selected.route.chain(event, context);
  };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
