import * as z from 'zod';
import { acrossFields, withInput } from '#shared/base/validation.ts';
import { DirectoryName } from '#shared/organizations/create-organization.ts';
import { plainEmail } from '#shared/organizations/rules/sign-in.ts';
import { identifyUser as identify } from '#shared/organizations/sign-in/identify-user.ts';
import { command, done, refused } from './command.ts';

const Email = z
  .string()
  .refine((text) => plainEmail(text) !== undefined, {
    error: ({ input }) => withInput('Input should be an e-mail address in ASCII', input),
  })
  .transform((text) => text.toLowerCase());

/**
 * Replaces what a user is known by at the sign-in, and ends the sessions that began with a sign-in (rules/sign-in.md#who-is-who).
 * Without an address and a subject, the user cannot sign in any more. With `end_keys` the personal keys of the user end too, with
 * their sessions; without it the answer says how many of them still work.
 */
export const identifyUser = command({
  name: 'identify-user',
  schema: z
    .strictObject({
      user: DirectoryName,
      email: Email.optional(),
      issuer: z.string().min(1).optional(),
      subject: z.string().min(1).max(255).optional(),
      end_keys: z.boolean().default(false),
    })
    .check(
      acrossFields(({ issuer, subject }, refuse) => {
        if (issuer === undefined && subject !== undefined) refuse('issuer', 'Give the issuer of the subject');
        if (issuer !== undefined && subject === undefined) refuse('subject', 'Give the subject of the issuer');
      }),
    ),
  run: async ({ user: name, end_keys: endsKeys, ...identity }, services) => {
    const identified = await identify(services, name, identity, { endsKeys });
    if (identified === 'unknown') return refused(`There is no user '${name}'`);
    if (identified === 'taken') return refused('Another user is known by this e-mail address or subject');
    const { keys, sessions, signIns } = identified;
    const by = identity.email ?? identity.subject;
    const known = by === undefined ? `The user '${name}' cannot sign in` : `The user '${name}' signs in as '${by}'`;
    const working = `The user still has API keys (${keys}) and sessions of these keys (${sessions}). To end them, repeat the command with --end-keys`;
    return done(keys === 0 || endsKeys ? known : `${known}. ${working}`, {
      ...identity,
      keys: endsKeys ? 0 : keys,
      sessions: endsKeys ? 0 : sessions,
      ended_keys: endsKeys ? keys : 0,
      ended_sessions: signIns + (endsKeys ? sessions : 0),
    });
  },
});
