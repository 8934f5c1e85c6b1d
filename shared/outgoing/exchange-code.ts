import * as z from 'zod';
import { type AddressGuard, AddressRefused } from './address-guard.ts';
import { faultText } from './faults.ts';
import type { IssuerDescription } from './issuer-keys.ts';
import { jsonOrNothing, send } from './post.ts';

/** The provider did not give a token for a code. `reason` is a code for the operator: that of the provider, if it sent one. */
export class ExchangeFailed extends Error {
  readonly reason: string;
  constructor(reason: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ExchangeFailed';
    this.reason = reason;
  }
}

/** Time limit of the exchange in milliseconds. */
const TIME_LIMIT_MILLIS = 8_000;

const Tokens = z.object({ id_token: z.string().min(1) });
const Refusal = z.object({ error: z.string() });

interface CodeExchange {
  clientId: string;
  /** Absent for a client without a secret. Then the verifier alone proves that the exchange belongs to the sign-in. */
  secret?: string | undefined;
  code: string;
  redirectUri: string;
  /** Verifier of PKCE (RFC 7636). */
  verifier: string;
}

/**
 * Exchanges the code of a sign-in for the token that says who signed in (OpenID Connect Core 3.1.3), through the guarded way
 * out. The token is not verified yet.
 *
 * @throws ExchangeFailed
 */
export async function exchangeCode(
  { token_endpoint: address, token_endpoint_auth_methods_supported: methods }: IssuerDescription,
  { clientId, secret, code, redirectUri, verifier }: CodeExchange,
  guard: AddressGuard,
): Promise<string> {
  if (address === undefined) throw new ExchangeFailed('no_token_endpoint', 'The provider has no token endpoint');
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });
  const headers: Record<string, string> = {
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  };
  const isInHeader = secret !== undefined && (methods ?? ['client_secret_basic']).includes('client_secret_basic');
  if (isInHeader) headers['authorization'] = basicOf(clientId, secret);
  else form.set('client_id', clientId);
  if (secret !== undefined && !isInHeader) form.set('client_secret', secret);
  const { status, bytes } = await send(
    address,
    { headers, body: form.toString(), guard },
    AbortSignal.timeout(TIME_LIMIT_MILLIS),
  ).catch((error: unknown) => {
    const reason = error instanceof AddressRefused ? 'address_refused' : 'no_answer';
    throw new ExchangeFailed(reason, `${address}: ${faultText(error)}`, error);
  });
  const answer = jsonOrNothing(bytes);
  const { data } = Tokens.safeParse(answer);
  if (status === 200 && data) return data.id_token;
  const { data: refusal } = Refusal.safeParse(answer);
  throw new ExchangeFailed(refusal?.error ?? `status_${status}`, `${address} answered ${status} without an ID token`);
}

/** Both parts are encoded as in forms, so that a colon in one of them cannot move the border (RFC 6749, 2.3.1). */
function basicOf(clientId: string, secret: string): string {
  const encoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
  return `Basic ${Buffer.from(`${encoded(clientId)}:${encoded(secret)}`).toString('base64')}`;
}
