import { type Call, type CallEvent, NO_ADDRESS, type Ready } from '../call.ts';
import { changesRecords, type Endpoint, readsTable } from '../endpoint.ts';
import { fullPath } from '../gateway-event.ts';
import type { RequestLimiter } from '../limits/request-limiter.ts';
import type { Permitting } from '../request.ts';
import type { Identity } from './authenticate.ts';
import { readSentCredential, type SentCredential } from './sent-credential.ts';

/** The steps that decide whether a request may go on: its credential, the state of the table, limits. */

/** Refuses changes during maintenance, and everything that needs a table in a format of a later release. */
export async function admitToTable(endpoint: Endpoint, call: Call, { state }: Ready): Promise<void> {
  if (!state || !readsTable(endpoint)) return;
  if (changesRecords(endpoint)) await state.admitWrite();
  else call.isClosed = await state.isClosed();
}

/**
 * Returns the credential of a request. A request without one is refused before anything is read.
 * @returns undefined where strangers may be admitted
 */
export function sentCredential(
  endpoint: Endpoint,
  { request, resource }: Call,
  ready: Ready,
): SentCredential | undefined {
  if (endpoint.access === 'public' || endpoint.openWith) return undefined;
  return readSentCredential(request, ready.callers().services.address, resource);
}

/** Returns the address that an access token for the endpoint is for; undefined if it takes none. */
export function resourceOf(
  { takesAccessTokens, path }: Endpoint,
  { services }: Pick<Ready, 'services'>,
): string | undefined {
  const { accessTokens, address = NO_ADDRESS } = services;
  return takesAccessTokens && accessTokens ? address + fullPath(path) : undefined;
}

export async function authenticate(
  endpoint: Endpoint,
  { call, pathParameters }: CallEvent,
  { callers }: Ready,
  sent: SentCredential | undefined,
): Promise<void> {
  if (endpoint.access === 'public') return;
  const { services, authenticator } = callers();
  const open = await authenticator.openOrganization(endpoint, pathParameters?.org);
  if (open) {
    call.openOrganization = open;
    call.facts.organization = open.name;
    return;
  }
  const credential = sent ?? readSentCredential(call.request, services.address);
  const identity = await authenticator.admit(credential, endpoint, pathParameters?.org);
  call.identity = identity;
  Object.assign(call.facts, {
    organization: identity.org?.name,
    principal: identity.caller.name,
    keyId: identity.caller.keyId,
    sessionId: identity.credential.session?.id,
  });
}

/** @throws LimitReached if the organization or the key sends too much (rules/requests.md#limits-of-organizations) */
export async function limitRequests(
  endpoint: Endpoint,
  { identity }: Call,
  { state, callers }: Pick<Ready, 'state' | 'callers'>,
): Promise<void> {
  if (!identity) return;
  const { org, limits, credential } = identity;
  const limiter = await limiterFor(limits, { state, callers });
  if (!limiter) return;
  // Tokens of a person replace each other in minutes, so they count together.
  const key = credential.key?.id ?? credential.session?.id ?? credential.principal.id;
  limiter.admit({ org: org && { ...org, limits }, key, isWrite: changesRecords(endpoint) });
}

/** Returns the limiter if it counts requests: limits of the stage count from the second shared organization on. */
async function limiterFor(
  limits: Identity['limits'],
  { state, callers }: Pick<Ready, 'state' | 'callers'>,
): Promise<RequestLimiter | undefined> {
  const { limiter } = callers();
  return limiter && (limits || (await state?.isShared())) ? limiter : undefined;
}

/** Returns what admits the caller of a request to organizations that its content names. The key of the request is counted already. */
export const permitOf =
  (call: Call, { credential }: Identity, { callers, state }: Pick<Ready, 'callers' | 'state'>): Permitting['permit'] =>
  async (need, orgName) => {
    const { org, role, limits } = await callers().authenticator.permit(credential, need, orgName);
    call.facts.organization = org.name;
    const isWrite = changesRecords(need);
    if (isWrite) await state?.admitWrite();
    const limiter = await limiterFor(limits, { state, callers });
    limiter?.admit({ org: { ...org, limits }, isWrite });
    return { org, role };
  };
