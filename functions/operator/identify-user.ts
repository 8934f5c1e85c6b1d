import * as z from 'zod';
import { retrying } from '#shared/base/retry.ts';
import { acrossFields, withInput } from '#shared/base/validation.ts';
import { revokeAll } from '#shared/organizations/manage-keys.ts';
import { keyListOf, readKeys } from '#shared/organizations/records/api-keys.ts';
import { OPERATOR } from '#shared/organizations/records/audit.ts';
import { DirectoryName, type Principal } from '#shared/organizations/records/directory-records.ts';
import { setIdentity } from '#shared/organizations/records/identities.ts';
import { personalLog } from '#shared/organizations/records/personal-log.ts';
import { activeSessions, endSignInSessions, readSessions } from '#shared/organizations/records/sessions.ts';
import { plainEmail } from '#shared/organizations/rules/sign-in.ts';
import { type CommandServices, command, done, refused } from './command.ts';

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
  run: async ({ user: name, end_keys, ...identity }, services) => {
    const { directory, table } = services;
    const outcome = await retrying(async () => {
      const user = await directory.user(name);
      if (!user) return 'unknown';
      const set = await setIdentity(table, user, identity);
      return set === 'done' ? user : set;
    });
    if (outcome === 'unknown') return refused(`There is no user '${name}'`);
    if (outcome === 'taken') return refused('Another user is known by this e-mail address or subject');
    const endedSignIns = await endSignInSessions(table, outcome.id);
    const principal = { kind: 'user' as const, id: outcome.id, name };
    const { keys, sessions } = await readCredentials(principal, services);
    if (end_keys) await endKeys(principal, services);
    const by = identity.email ?? identity.subject;
    const known = by === undefined ? `The user '${name}' cannot sign in` : `The user '${name}' signs in as '${by}'`;
    const working = `The user still has API keys (${keys}) and sessions of these keys (${sessions}). To end them, repeat the command with --end-keys`;
    return done(keys === 0 || end_keys ? known : `${known}. ${working}`, {
      ...identity,
      keys: end_keys ? 0 : keys,
      sessions: end_keys ? 0 : sessions,
      ended_keys: end_keys ? keys : 0,
      ended_sessions: endedSignIns + (end_keys ? sessions : 0),
    });
  },
});

/** Counts the personal keys of a user that work, and the sessions that were started with them. */
async function readCredentials(
  principal: Principal,
  { table, clock }: CommandServices,
): Promise<{ keys: number; sessions: number }> {
  const list = keyListOf(principal);
  const now = clock.now();
  const [keys, sessions] = await Promise.all([
    readKeys(table, list, now),
    readSessions(table, list).then((all) => activeSessions(table, all, now)),
  ]);
  return { keys: keys.length, sessions: sessions.length };
}

/** Revokes the personal keys of a user. Their sessions end with them (rules/organizations.md#sessions). */
async function endKeys(principal: Principal, { table, clock }: CommandServices): Promise<void> {
  const audited = await personalLog(table, principal.name, { at: clock.now(), actor: OPERATOR });
  await revokeAll({ principal, audited }, { table, clock });
}
