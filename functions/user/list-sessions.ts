import * as z from 'zod';
import type { Id } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { listSessions as list, type Session } from '#shared/organizations/sessions.ts';

/** A session in answers (rules/organizations.md#sessions). */
export const SessionOut = z
  .object({
    id: z.string().describe('The id'),
    created_at: z.number().describe('When the record was made, in seconds since the epoch'),
    expires_at: z.number().describe('When it expires, in seconds since the epoch'),
    api_key_id: z
      .string()
      .nullable()
      .meta({ description: 'Id of the API key that the session was made from; null for a sign-in with the provider' }),
    is_current: z.boolean().meta({ description: 'Whether this request has the cookie of the session' }),
  })
  .meta({ id: 'Session' });

/** @param current id of the session of the request, or of the session that the request starts */
export const sessionOut = (
  { id, key, createdAt, expiresAt }: Session,
  current: Id | undefined,
): z.input<typeof SessionOut> => ({
  id,
  created_at: toSeconds(createdAt),
  expires_at: toSeconds(expiresAt),
  api_key_id: key?.id ?? null,
  is_current: id === current,
});

/** GET /user/sessions: the active sessions of the caller, the oldest first (rules/organizations.md#sessions). */
export const listSessions = endpoint({
  operation: 'listSessions',
  method: 'GET',
  path: '/user/sessions',
  summary: 'List the active sessions of the caller',
  access: 'authenticated',
  success: { 200: z.array(SessionOut) },
  handler: async ({ credential }, stores: Pick<Stores, 'table' | 'clock'>) => ({
    status: 200,
    body: (await list(stores, credential)).map((session) => sessionOut(session, credential.session?.id)),
  }),
});
