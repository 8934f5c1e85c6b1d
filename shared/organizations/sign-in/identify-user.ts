import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { revokeAllKeys } from '../keys/revoke-key.ts';
import { keyListOf, readKeys, userPrincipal } from '../records/api-keys.ts';
import { OPERATOR } from '../records/audit.ts';
import { Directory } from '../records/directory.ts';
import type { UserIdentity } from '../records/directory-records.ts';
import { setIdentity } from '../records/identities.ts';
import { personalLog } from '../records/personal-log.ts';
import { activeSessions, endSignInSessions, readSessions } from '../records/sessions.ts';

/** What a user had when the sign-in changed. */
interface IdentifiedUser {
  /** Personal keys that worked. */
  keys: number;
  /** Sessions that were started with these keys. */
  sessions: number;
  /** Sessions that began with a sign-in. They ended. */
  signIns: number;
}

/**
 * Replaces what a user is known by at the sign-in, and ends the sessions that began with a sign-in
 * (rules/sign-in.md#who-is-who). Without an address and a subject, the user cannot sign in any more.
 *
 * @param endsKeys whether the personal keys of the user end too, with their sessions
 * @returns `unknown` if there is no such user; `taken` if another user is known by the address or the subject
 */
export async function identifyUser(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  name: string,
  identity: UserIdentity,
  { endsKeys }: { endsKeys: boolean },
): Promise<IdentifiedUser | 'unknown' | 'taken'> {
  const outcome = await retrying(async () => {
    const user = await new Directory(table).user(name);
    if (!user) return 'unknown';
    const set = await setIdentity(table, user, identity);
    return set === 'done' ? user : set;
  });
  if (outcome === 'unknown' || outcome === 'taken') return outcome;
  const signIns = await endSignInSessions(table, outcome.id);
  const principal = userPrincipal(outcome);
  const list = keyListOf(principal);
  const now = clock.now();
  const [keys, sessions] = await Promise.all([
    readKeys(table, list, now),
    readSessions(table, list).then((all) => activeSessions(table, all, now)),
  ]);
  if (endsKeys) {
    const audited = await personalLog(table, name, { at: clock.now(), actor: OPERATOR });
    await revokeAllKeys({ table, clock }, { principal, audited });
  }
  return { keys: keys.length, sessions: sessions.length, signIns };
}
