import { duration } from '../../model/time.ts';
import { count, listed } from '../../model/words.ts';
import type { Account, ApiKey, Member } from '../operations.ts';

const DAY = 86_400;
/** Seconds before its end from which a key is named. */
const SOON = 14 * DAY;

/** What is to be said of a key besides its times. */
export function keyWarning({ expires_at: end }: Pick<ApiKey, 'expires_at'>, now: number): string | null {
  if (end === 0) return 'never expires';
  if (end <= now) return 'expired';
  return end - now < SOON ? `expires in ${duration(end - now)}` : null;
}

const isAdmin = ({ role }: Member): boolean => role === 'admin';

/** Who has access to an organization. */
export function peopleSentence(members: readonly Member[], accounts: readonly Account[]): string {
  const present = members.filter(({ is_invited: isInvited }) => !isInvited);
  const admins = present.filter(isAdmin).map(({ name }) => name);
  const people = present.length === 1 ? '1 person' : `${present.length} people`;
  const invited = members.length - present.length;
  const pending = invited === 0 ? '' : ` ${invited} ${invited === 1 ? 'is' : 'are'} invited.`;
  const programs = accounts.length === 0 ? 'no service account' : count(accounts.length, 'service account');
  return `${people} and ${programs} have access.${pending} ${admins.length === 1 ? 'The only admin is' : 'Admins:'} ${listed(admins)}.`;
}

/** What a service account may do, and whether its keys need attention. */
export function accountSentence(
  { privilege }: Pick<Account, 'privilege'>,
  keys: readonly ApiKey[],
  now: number,
): string {
  const acts = `Acts as ${privilege}`;
  if (keys.length === 0) return `${acts}, but has no key, so nothing can use it.`;
  const soon = keys.filter(({ expires_at: end }) => end !== 0 && end - now < SOON);
  const [first] = soon.toSorted((a, b) => a.expires_at - b.expires_at);
  const end = first ? ` «${first.description}» ${keyWarning(first, now)}.` : '';
  return `${acts} with ${count(keys.length, 'key')}.${end}`;
}

/** The roles, the lowest first. */
export const ROLES = ['reader', 'snapshotter', 'member', 'admin'] as const;
export type Role = (typeof ROLES)[number];

const RANKS: readonly string[] = ROLES;

export const isAtLeast = (role: string, needed: string): boolean => RANKS.indexOf(role) >= RANKS.indexOf(needed);

/** What a write is called in a sentence, and the smallest role that may ask for it. */
interface AskedWrite {
  doing: string;
  operation: { access: string };
}

/**
 * Why a caller may not do something here; null if the caller may do all of it. Endpoints decide by the same roles
 * (docs/permissions.md).
 */
export function whyNot(writes: readonly AskedWrite[], role: string): string | null {
  const refused = writes.filter(({ operation: { access } }) => !isAtLeast(role, access));
  if (refused.length === 0) return null;
  const sentences = ROLES.flatMap((needed) => {
    const doing = refused.filter(({ operation: { access } }) => access === needed).map((one) => one.doing);
    const who = ROLES.filter((one) => isAtLeast(one, needed)).map((one) => `${one}s`);
    return doing.length === 0 ? [] : [`Only ${listed(who)} may ${listed(doing, doing.length)}.`];
  });
  return `${sentences.join(' ')} Your role here is ${role}.`;
}

/** What a caller may do with the keys of a service account, as far as the answers say. The service decides. */
export function rightsOver(
  account: Pick<Account, 'creating_user_id' | 'privilege'>,
  caller: { id: string; role: string } | undefined,
): { revoke: boolean; issue: boolean } {
  if (!caller) return { revoke: false, issue: false };
  const manages =
    caller.role === 'admin' || (isAtLeast(caller.role, 'snapshotter') && account.creating_user_id === caller.id);
  return { revoke: manages, issue: manages && isAtLeast(caller.role, account.privilege) };
}
