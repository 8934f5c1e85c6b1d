import * as z from 'zod';
import { BASE_PATH } from '#shared/base/addresses.ts';
import { sentence } from '#shared/base/errors.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import type { CallerServices } from '#shared/http/services.ts';

const noProvider = sentence('not-found', 'This service has no identity provider. Send an API key as a bearer token');

const ResourceMetadata = z
  .object({
    resource: z.string().meta({ description: 'Address of the door, which the audience of access tokens has to be' }),
    authorization_servers: z.array(z.string()).meta({ description: 'Issuer of access tokens' }),
    scopes_supported: z.array(z.string()).meta({ description: 'What agents ask of the issuer' }),
    bearer_methods_supported: z.array(z.literal('header')).meta({ description: 'Where a request has its token' }),
    resource_name: z.string().meta({ description: 'Name of the door for people' }),
  })
  .meta({ id: 'ProtectedResource', description: 'Metadata of a protected resource (RFC 9728)' });

/** Says agents where people sign in for them (rules/agents.md#sign-in). */
export const getResourceMetadata = endpoint({
  operation: 'getAgentResourceMetadata',
  method: 'GET',
  path: 'root:/.well-known/oauth-protected-resource/api/v2/mcp',
  summary: 'Get the metadata of the door for agents',
  description: 'Metadata of a protected resource (RFC 9728): where agents get access tokens for `POST /api/v2/mcp`.',
  access: 'public',
  success: { 200: ResourceMetadata },
  errors: [noProvider],
  handler: async ({ host }, { accessTokens }: Pick<CallerServices, 'accessTokens'>) => {
    if (!accessTokens) throw noProvider();
    return {
      status: 200,
      body: {
        resource: `${host}${BASE_PATH}/mcp`,
        authorization_servers: [accessTokens.issuer],
        scopes_supported: [...accessTokens.scopes],
        bearer_methods_supported: ['header' as const],
        resource_name: 'Delivery evidence',
      },
    };
  },
});
