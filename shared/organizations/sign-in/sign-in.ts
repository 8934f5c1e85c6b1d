import { randomBytes } from 'node:crypto';
import { newId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import { type Micros, plus } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { SessionSecrets } from '#shared/callers/credentials.ts';
import type { SignInClaims } from '#shared/callers/sign-in-claims.ts';
import { keyText, type Table, type Write } from '#shared/table/table.ts';
import { keyListOf, userPrincipal } from '../records/api-keys.ts';
import { type AuditStamp, auditWrite } from '../records/audit.ts';
import { Directory } from '../records/directory.ts';
import type { EmailRecord, UserRecord } from '../records/directory-records.ts';
import { bindingWrites, findIdentity, newPersonWrites } from '../records/identities.ts';
import { offerWrite } from '../records/invitations.ts';
import { memberOfKey, offerKey } from '../records/keys.ts';
import {
  hasJoined,
  listedOrganizations,
  type OrganizationOfUser,
  readOrganizations,
} from '../records/organizations-of-user.ts';
import { personalLog } from '../records/personal-log.ts';
import { readSessions, sessionEndWrites, sessionWrites, surplusSessions } from '../records/sessions.ts';
import { type LettingOrganization, organizationsLetting } from '../records/sign-in-rules.ts';
import { usedTokenWrite } from '../records/token-writes.ts';
import { newUserName, type Person, subjectHash } from '../rules/sign-in.ts';
import { LONGEST_SIGN_IN, newSession, SIGN_IN_SESSION } from '../sessions.ts';

/** The sign-in of a person whom the provider described: who it is, whether the person comes in, and the session (rules/sign-in.md). */

/** The first sign-in is in the audit logs of at most so many organizations. So the transaction stays small. */
const MOST_LOGS = 10;
/** The most organizations that one sign-in offers to a user. The next sign-in offers further ones. */
const MOST_OFFERED = 10;
/** Why a person does not come in. */
export type SignInRefusal = 'not_let_in' | 'email_not_verified' | 'other_person';

export type SignInOutcome =
  | { outcome: 'signed in'; secrets: SessionSecrets; seconds: number; ended: string[] }
  | { outcome: 'refused'; why: SignInRefusal }
  | { outcome: 'used' };

/** The token that described the person. It starts one session. */
export interface UsedToken {
  /** SHA-256 of what the issuer signed. */
  digest: string;
  /** Claim `exp`, in seconds. */
  endsAt: number;
}

/** Who comes in: a user, and what the sign-in changes about the user. */
interface Entrant {
  user: UserRecord;
  writes: Write<'again'>[];
  /** Whether this is the first sign-in of the user. */
  isFirst: boolean;
}

/** Signs a person in. @returns the session, or why the person does not come in */
export async function signIn(
  person: Person,
  token: UsedToken,
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
): Promise<SignInOutcome> {
  return retrying(async () => {
    const [identity, letting] = await Promise.all([
      findIdentity(table, person),
      organizationsLetting(table, person.claims),
    ]);
    const now = clock.now();
    const entrant = await entrantOf(table, person, identity, letting.organizations, now);
    if (entrant === 'again') return entrant;
    if (typeof entrant === 'string') return { outcome: 'refused', why: entrant };
    const claims = { ...person.claims, groups: letting.groups };
    return enter(table, entrant, { person, claims, letting: letting.organizations, token, now });
  });
}

/** Finds the user of a person, or makes one if a rule lets the person in. */
async function entrantOf(
  table: Table,
  person: Person,
  { bySubject, byEmail }: Awaited<ReturnType<typeof findIdentity>>,
  letting: readonly LettingOrganization[],
  now: Micros,
): Promise<Entrant | 'again' | SignInRefusal> {
  const found = bySubject ?? byEmail;
  if (!found) {
    if (letting.length > 0) return newEntrant(table, person, now);
    return person.hasOtherEmail ? 'email_not_verified' : 'not_let_in';
  }
  if (!bySubject && byEmail && isOfOther(byEmail, person)) return 'other_person';
  const user = await new Directory(table).user(found.name);
  if (!user) return 'again';
  if (user.byRule && letting.length === 0) {
    const memberships = await organizationsOfMember(table, user);
    if (memberships.length === 0) return 'not_let_in';
  }
  const { email } = person;
  const isFirst = !bySubject && email !== undefined;
  return { user, writes: isFirst ? bindingWrites(user, { ...person, email }) : [], isFirst };
}

const isOfOther = ({ subject }: EmailRecord, person: Person): boolean =>
  subject !== undefined && subject !== subjectHash(person);

async function newEntrant(table: Table, person: Person, now: Micros): Promise<Entrant> {
  const plain = newUserName(person);
  const isTaken = person.email === undefined || (await new Directory(table).user(plain)) !== undefined;
  const name = isTaken ? newUserName(person, `-${randomBytes(3).toString('hex')}`) : plain;
  const user: UserRecord = { v: 1, id: newId(now), name, createdAt: now, organizationsListed: 'all' };
  return { user, writes: newPersonWrites(user, person), isFirst: true };
}

async function organizationsOfMember(table: Table, { id }: UserRecord): Promise<OrganizationOfUser[]> {
  return readOrganizations(table, id, await listedOrganizations(table, id), undefined);
}

interface Entry {
  person: Person;
  claims: SignInClaims;
  letting: readonly LettingOrganization[];
  token: UsedToken;
  now: Micros;
}

/** Starts the session, in one transaction with everything else that the sign-in changes. */
async function enter(
  table: Table,
  { user, writes, isFirst }: Entrant,
  { person, claims, letting, token, now }: Entry,
): Promise<SignInOutcome | 'again'> {
  const principal = userPrincipal(user);
  const stamp: AuditStamp = { at: now, actor: { ...principal, keyId: null } };
  const list = keyListOf(principal);
  const [audited, sessions, memberships, offers] = await Promise.all([
    personalLog(table, user.name, stamp),
    readSessions(table, list),
    isFirst ? organizationsOfMember(table, user) : [],
    newOffers(table, user, letting),
  ]);
  const { session, secrets } = newSession(plus(now, SIGN_IN_SESSION * 1_000_000), now);
  const surplus = surplusSessions(sessions);
  const subject = { type: 'session', id: session.id, name: user.name };
  const outcome = await table.transact<'again' | 'used'>([
    usedTokenWrite(token.digest, token.endsAt),
    ...writes,
    ...sessionWrites(list, { ...session, claims, principal }),
    ...audited({ kind: 'session.started', subject, after: { issuer: person.issuer } }),
    ...memberships.slice(0, MOST_LOGS).map(({ id, role }) =>
      auditWrite(id, stamp, {
        kind: 'sign_in.first',
        subject: { type: 'user', id: user.id, name: user.name },
        after: { role, issuer: person.issuer, subject: person.subject, email: person.email },
      }),
    ),
    ...offers.map((org) => offerWrite(user.name, 'rule', org)),
    ...surplus.flatMap((old) => sessionEndWrites(list, old)),
  ]);
  if (outcome === 'again') return outcome;
  if (outcome === 'used') return { outcome };
  return { outcome: 'signed in', secrets, seconds: LONGEST_SIGN_IN, ended: surplus.map(({ hash }) => hash) };
}

/** Returns the organizations that let a user in by a rule, and that the user was neither offered nor has. */
async function newOffers(
  table: Table,
  { id, name }: UserRecord,
  letting: readonly LettingOrganization[],
): Promise<LettingOrganization[]> {
  const listedKey = (org: LettingOrganization) => memberOfKey(id, org.id);
  const offeredKey = (org: LettingOrganization) => offerKey(name, 'rule', org.id);
  const found = await table.getMany(letting.flatMap((org) => [listedKey(org), offeredKey(org)]));
  const has = (org: LettingOrganization) => {
    const listed = found.get(keyText(listedKey(org)));
    return found.has(keyText(offeredKey(org))) || (listed !== undefined && hasJoined(listed));
  };
  return letting.filter((org) => !has(org)).slice(0, MOST_OFFERED);
}
