import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import {
  accountGone,
  accountIsAdmin,
  claimTooLong,
  noTrust,
  refusedToken,
  tokenUsed,
} from '#shared/organizations/rules/sentences.ts';
import { MOST_MINUTES } from '#shared/organizations/rules/trusts.ts';
import { EXCHANGE_TOKEN, exchangeToken as exchange } from '#shared/organizations/trusts/exchange-token.ts';
import { TrustName } from '#shared/organizations/trusts/read-trusts.ts';
import type { AddressGuard } from '#shared/outgoing/address-guard.ts';

/** Names of RFC 8693. */
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const typeOf = <T extends string>(name: T) => `urn:ietf:params:oauth:token-type:${name}` as const;

const ExchangeRequest = z
  .object({
    grant_type: z.literal(EXCHANGE).meta({ description: 'What is asked for, in the words of RFC 8693' }),
    subject_token: z.string().min(1).meta({ description: 'The token of the CI system' }),
    subject_token_type: z.enum([typeOf('id_token'), typeOf('jwt')]).meta({ description: 'Kind of the token' }),
    requested_token_type: z
      .literal(typeOf('access_token'))
      .optional()
      .meta({ description: 'Kind of the answer; there is one kind only' }),
    trust: TrustName.optional().meta({
      description: 'Name of the only trust that counts. Absent = every trust of the issuer',
    }),
  })
  .meta({ id: 'TokenExchangeRequest' });

const ExchangedKey = z
  .object({
    access_token: z.string().meta({ description: 'An API key of the service account. No other answer contains it' }),
    issued_token_type: z.literal(typeOf('access_token')).meta({ description: 'Kind of `access_token`' }),
    token_type: z.literal('Bearer').meta({ description: 'How the key is sent: `Authorization: Bearer …`' }),
    expires_in: z.number().meta({ description: `Seconds, at most ${MOST_MINUTES * 60}` }),
  })
  .meta({ id: 'ExchangedKey' });

/** POST /token/{org}: exchanges a token of a CI system for a key (rules/identities.md#exchange). */
export const exchangeToken = endpoint({
  operation: 'exchangeToken',
  method: 'POST',
  path: '/token/{org}',
  summary: 'Exchange a token of a CI system for a key that works for some minutes',
  description:
    'OAuth 2.0 Token Exchange (RFC 8693), as a form or as JSON. Needs no key. A token is exchanged once. The key works with every endpoint and every client.',
  access: 'public',
  body: { kind: 'json', schema: ExchangeRequest, alsoForm: true },
  success: { 200: ExchangedKey },
  errors: [noTrust, refusedToken, tokenUsed, accountGone, accountIsAdmin, claimTooLong],
  oauthErrors: true,
  uses: EXCHANGE_TOKEN,
  handler: async ({ params, body, receivedAt }, stores: Pick<Stores, 'table'> & { guard: AddressGuard }) => {
    const { subject_token: token, trust } = body;
    const { secret, seconds } = await exchange({ org: params.org, token, trust, receivedAt }, stores);
    return {
      status: 200,
      body: {
        access_token: secret,
        issued_token_type: typeOf('access_token'),
        token_type: 'Bearer' as const,
        expires_in: seconds,
      },
    };
  },
});
