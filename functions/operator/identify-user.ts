import * as z from 'zod';
import { retrying } from '#shared/base/retry.ts';
import { acrossFields, withInput } from '#shared/base/validation.ts';
import { DirectoryName } from '#shared/organizations/records/directory-records.ts';
import { setIdentity } from '#shared/organizations/records/identities.ts';
import { endSignInSessions } from '#shared/organizations/records/sessions.ts';
import { plainEmail } from '#shared/organizations/rules/sign-in.ts';
import { command, done, refused } from './command.ts';

const Email = z
  .string()
  .refine((text) => plainEmail(text) !== undefined, {
    error: ({ input }) => withInput('Input should be an e-mail address in ASCII', input),
  })
  .transform((text) => text.toLowerCase());

/**
 * Replaces what a user is known by at the sign-in, and ends the sessions that began with a sign-in (rules/sign-in.md#who-is-who).
 * Without an address and a subject, the user cannot sign in any more.
 */
export const identifyUser = command({
  name: 'identify-user',
  schema: z
    .strictObject({
      user: DirectoryName,
      email: Email.optional(),
      issuer: z.string().min(1).optional(),
      subject: z.string().min(1).max(255).optional(),
    })
    .check(
      acrossFields(({ issuer, subject }, refuse) => {
        if (issuer === undefined && subject !== undefined) refuse('issuer', 'Give the issuer of the subject');
        if (issuer !== undefined && subject === undefined) refuse('subject', 'Give the subject of the issuer');
      }),
    ),
  run: async ({ user: name, ...identity }, { directory, table }) => {
    const outcome = await retrying(async () => {
      const user = await directory.user(name);
      if (!user) return 'unknown';
      const set = await setIdentity(table, user, identity);
      return set === 'done' ? user : set;
    });
    if (outcome === 'unknown') return refused(`There is no user '${name}'`);
    if (outcome === 'taken') return refused('Another user is known by this e-mail address or subject');
    const ended = await endSignInSessions(table, outcome.id);
    const by = identity.email ?? identity.subject;
    const message = by === undefined ? `The user '${name}' cannot sign in` : `The user '${name}' signs in as '${by}'`;
    return done(message, { ...identity, ended_sessions: ended });
  },
});
