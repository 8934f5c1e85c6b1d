import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { allInOrder } from '#shared/base/parallel.ts';
import { RecordGone } from '#shared/base/proofs/record-gone.ts';
import { addIllFormed, collect, noErrors, refuseIfAny, validate } from '#shared/base/validation.ts';
import type { ChainServices } from '#shared/http/services.ts';
import { AnsweredBefore } from '#shared/table/idempotency.ts';
import type { RequestFacts } from './access-log.ts';
import { NOT_STORED, type Result, toResult } from './answers.ts';
import {
  admitToTable,
  authenticate,
  limitRequests,
  permitOf,
  resourceOf,
  sentCredential,
} from './authentication/admission.ts';
import type { Identity } from './authentication/authenticate.ts';
import { NOTHING, readBody, validateBody } from './body.ts';
import { type CallEvent, NO_ADDRESS, type Parsed, type Ready } from './call.ts';
import { asksForRole, type Endpoint } from './endpoint.ts';
import { goneError } from './faults.ts';
import type { GatewayRequest } from './gateway-event.ts';
import { handleHeaders, joinHeaders, receiptHeaders } from './handle.ts';
import { answerOf, firstAnswer, idempotencyClaim } from './idempotency.ts';
import { formatFor } from './negotiation/format.ts';
import { readQuery, sortQuery } from './query-fields.ts';
import type { Answer, Permitting, Request } from './request.ts';

/**
 * Builds the chain of one endpoint. The steps run in a fixed order: authentication and permission (401, 403),
 * validation (400), handler (rules/requests.md#order-of-checks). The chain knows an endpoint without its types: the handler gets
 * the request that its own schemas parsed, and the services that {@link endpointGroup} demands of the function.
 */
export function endpointChain(
  endpoint: Endpoint,
  lazy: () => Ready,
  logFault: (facts: RequestFacts, message: string, error: unknown) => void,
): (event: CallEvent, context: Context) => Promise<Result> {
  checkDefinition(endpoint);
  const route = `${endpoint.method} ${endpoint.path}`;
  return middy<CallEvent, Result>({ timeoutEarlyInMillis: 0 })
    .before(({ event }) => {
      event.call.facts.route = route;
      event.call.oauthErrors = endpoint.oauthErrors ?? false;
      const resource = resourceOf(endpoint, lazy());
      if (resource !== undefined) event.call.resource = resource;
    })
    .before(async ({ event }) => {
      const sent = sentCredential(endpoint, event.call, lazy());
      await allInOrder([admitToTable(endpoint, event.call, lazy()), authenticate(endpoint, event, lazy(), sent)]);
    })
    .before(({ event }) => limitRequests(endpoint, event.call, lazy()))
    .before(async ({ event }) => {
      event.call.parsed = await parse(endpoint, event, lazy());
    })
    .handler(async (event) => {
      const { request, facts, identity, openOrganization, parsed } = event.call;
      const { callers, ...ready } = lazy();
      const services = servicesOf(ready.services, request);
      const noted =
        identity && !event.call.isClosed
          ? Promise.all([
              callers()
                .authenticator.recordUse(identity)
                .catch((error: unknown) => logFault(facts, 'last_used_at not recorded', error)),
              callers()
                .limiter?.settle()
                ?.catch((error: unknown) => logFault(facts, 'limits not settled', error)),
            ])
          : undefined;
      try {
        const format = formatFor(endpoint, request.headers['accept']);
        const answer = await answerTo(
          endpoint,
          {
            ...requestFor(request, services, identity ?? { org: openOrganization }, parsed),
            format,
            headers: pickHeaders(request.headers, endpoint.readsHeaders),
            ...(identity && !identity.org && { permit: permitOf(event.call, identity, lazy()) }),
          },
          { services, callers },
        );
        if (answer.distrust) callers().authenticator.forget(answer.distrust);
        const host = services.address ?? NO_ADDRESS;
        const handle = handleHeaders(endpoint, answer.made, { host, known: { ...parsed?.params } });
        const known = { ...parsed?.params, ...answer.made };
        const receipts = receiptHeaders(endpoint, answer.appended, { host, known });
        // The next person at the browser must not find an answer that needed a credential (rules/requests.md#caching).
        const caching = identity && NOT_STORED;
        // The answer is one of the bodies that the same definition describes.
        const own = endpoint.headers?.of(answer.body as never);
        const headers = joinHeaders({ ...answer.headers, ...own, ...handle, ...caching }, receipts);
        return toResult(endpoint, { ...answer, headers }, request.headers, format);
      } finally {
        await noted;
      }
      // middy returns a handler of any kind of event. This one gets events of the gateway only.
    }) as (event: CallEvent, context: Context) => Promise<Result>;
}

const pickHeaders = (headers: GatewayRequest['headers'], names: readonly string[] = []): Request['headers'] =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Throws for a definition that contradicts itself when the function starts, not at the first request. */
function checkDefinition({ operation, access, path }: Endpoint): void {
  if (asksForRole(access) && !path.split('/').includes('{org}')) {
    throw new Error(`${operation} asks for the role ${access} without an {org} in its path`);
  }
}

/**
 * Validates every part of a request before it refuses the request, so that one answer names all errors
 * (rules/requests.md#all-errors-at-once).
 */
async function parse(endpoint: Endpoint, event: CallEvent, { callers }: Ready): Promise<Parsed> {
  const { request, identity } = event.call;
  const errors = noErrors();
  addIllFormed({ ...event.pathParameters }, { whole: 'path' }, errors);
  const params = validate(endpoint.params, event.pathParameters ?? {}, { whole: 'path' }, errors);
  const asked = readQuery(request.rawQuery, endpoint.query, errors);
  const query = validate(endpoint.query, asked, { whole: 'query', prefix: 'query.' }, errors);
  const read = await collect(errors, () => readBody(request, endpoint.body, errors));
  const { text: bodyText, value: sent, files } = read ?? NOTHING;
  const body = read && validateBody(read, endpoint.body, errors);
  const checks = read ? (endpoint.checks ?? []) : [];
  const given = { ...sortQuery(endpoint.query, asked), body, sent, files };
  for (const check of checks) await collect(errors, () => check(given, callers().services));
  refuseIfAny(errors);
  const idempotency =
    identity?.org && idempotencyClaim(request, { bodyText, files }, identity.org.id, identity.caller.id);
  return {
    // The schema of the endpoint's path made this value.
    params: params as Parsed['params'],
    // The schema of the endpoint's query made this value.
    query: query as Parsed['query'],
    // The schema of the endpoint's body made this value. The erased endpoint has no type for it but undefined.
    body: body as undefined,
    bodyText,
    files,
    ...(idempotency && { idempotency }),
  };
}

function requestFor(
  { requestId, path, rawQuery, headers, cookies }: GatewayRequest,
  { clock, address = NO_ADDRESS }: ChainServices,
  { caller, credential, org, role }: { [K in keyof Identity]?: Identity[K] | undefined },
  parsed: Parsed | undefined,
): Partial<Request> {
  return {
    ...parsed,
    ...(caller && { caller }),
    ...(credential && { credential }),
    ...(org && { org }),
    ...(role && { role }),
    requestId,
    host: address,
    path,
    rawQuery,
    cookies,
    acceptEncoding: headers['accept-encoding'],
    receivedAt: clock.now(),
  };
}

/** Returns the services of one request: the items that it writes name the request (rules/storage.md#requests-of-effects). */
const servicesOf = (services: ChainServices, { requestId }: Pick<GatewayRequest, 'requestId'>): ChainServices =>
  services.table ? { ...services, table: services.table.ofRequest(requestId) } : services;

async function handled(endpoint: Endpoint, request: Partial<Request>, { services, callers }: Ready): Promise<Answer> {
  try {
    // The schemas of the endpoint made the request, and its group has the services. The erased type knows neither.
    return await endpoint.handler(request as never, services as never);
  } catch (error) {
    if (!(error instanceof RecordGone) || !request.org) throw error;
    const { table, entryIndex } = callers().services;
    throw goneError(error, await entryIndex(table, request.org.id, error.subject));
  }
}

async function answerTo(endpoint: Endpoint, request: Partial<Request & Permitting>, ready: Ready): Promise<Answer> {
  const { idempotency, receivedAt = ready.services.clock.now() } = request;
  const first = idempotency && (await firstAnswer(ready.callers().services.table, idempotency, receivedAt));
  if (first) return repeatedAnswer(endpoint, request, ready, first);
  try {
    return await handled(endpoint, request, ready);
  } catch (error) {
    if (!(error instanceof AnsweredBefore)) throw error;
    return repeatedAnswer(endpoint, request, ready, answerOf(error.earlier));
  }
}

/** Answers what an earlier request with the same Idempotency-Key was answered. */
async function repeatedAnswer(
  { repeatedBody }: Endpoint,
  request: Partial<Request>,
  { services }: Ready,
  first: Answer,
): Promise<Answer> {
  // The request is the one that `handled` would get, of the same endpoint and the same group.
  return repeatedBody ? { ...first, body: await repeatedBody(request as never, services as never) } : first;
}
