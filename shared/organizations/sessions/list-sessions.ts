import type { Stores } from '#shared/bodies/stores.ts';
import type { Credential } from '#shared/callers/caller.ts';
import { keyListOf } from '../records/api-keys.ts';
import { activeSessions, readSessions } from '../records/sessions.ts';
import type { Session } from './session-log.ts';

/** Lists the active sessions of the caller, the oldest first (rules/organizations.md#sessions). */
export async function listSessions(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  { principal }: Pick<Credential, 'principal'>,
): Promise<Session[]> {
  return activeSessions(table, await readSessions(table, keyListOf(principal)), clock.now());
}
