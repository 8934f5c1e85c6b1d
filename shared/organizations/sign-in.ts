import { randomBytes } from 'node:crypto';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import type { Role } from '#shared/base/roles.ts';
import type { SignInClaims } from '#shared/base/sign-in-rules.ts';
import type { Micros } from '#shared/base/time.ts';
import type { SessionSecrets } from '#shared/http/authentication/sent-credential.ts';
import type { Services } from '#shared/http/services.ts';
import type { Table, Write } from '#shared/table/table.ts';
import { LONGEST_SIGN_IN, newSession, SIGN_IN_SESSION } from './manage-sessions.ts';
import { keyListOf } from './records/api-keys.ts';
import { type AuditStamp, auditWrite } from './records/audit.ts';
import { Directory } from './records/directory.ts';
import type { UserRecord } from './records/directory-records.ts';
import { bindingWrites, type EmailRecord, findIdentity, newPersonWrites } from './records/identities.ts';
import { memberOfKey } from './records/keys.ts';
import { listedOrganizations, memberOfItem, readOrganizations } from './records/organizations-of-user.ts';
import { personalLog } from './records/personal-log.ts';
import { readSessions, sessionEndWrites, sessionWrites, surplusSessions } from './records/sessions.ts';
import { type LettingOrganization, organizationsLetting } from './records/sign-in-rules.ts';
import { hourOf, noteRefusedToken, usedTokenWrite } from './records/token-writes.ts';
import { newUserName, type Person, subjectHash } from './rules/sign-in.ts';

/** The sign-in of a person whom the provider described: who it is, whether the person comes in, and the session (rules/sign-in.md). */

/** The first sign-in is in the audit logs of at most so many organizations. So the transaction stays small. */
const MOST_LOGS = 10;
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

type Stores = Pick<Services, 'table' | 'clock'>;

/**
 * Signs a person in.
 *
 * @returns the session, or why the person does not come in
 */
export async function signIn(person: Person, token: UsedToken, { table, clock }: Stores): Promise<SignInOutcome> {
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
  if (user.byRule && letting.length === 0 && !(await isMember(table, user))) return 'not_let_in';
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

async function isMember(table: Table, { id }: UserRecord): Promise<boolean> {
  const listed = await listedOrganizations(table, id);
  return (await readOrganizations(table, id, listed, undefined)).length > 0;
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
  const principal = { kind: 'user' as const, id: user.id, name: user.name };
  const stamp: AuditStamp = { at: now, actor: { ...principal, keyId: null } };
  const list = keyListOf(principal);
  const [audited, sessions, arrivals] = await Promise.all([
    personalLog(table, user.name, stamp),
    readSessions(table, list),
    arrivalsOf(table, user, { letting, isFirst }),
  ]);
  const { session, secrets } = newSession(now + SIGN_IN_SESSION * 1_000_000, now);
  const surplus = surplusSessions(sessions);
  const subject = { type: 'session', id: session.id, name: user.name };
  const outcome = await table.transact<'again' | 'used'>([
    usedTokenWrite(token.digest, token.endsAt),
    ...writes,
    ...sessionWrites(list, { ...session, claims, principal }),
    ...audited({ kind: 'session.started', subject, after: { issuer: person.issuer } }),
    ...arrivals.flatMap(({ org, role, isByRule }) => [
      ...(isByRule ? [{ put: memberOfItem(user.id, org) }] : []),
      auditWrite(org, stamp, {
        kind: 'sign_in.first',
        subject: { type: 'user', id: user.id, name: user.name },
        after: { role, by_rule: isByRule, issuer: person.issuer, subject: person.subject, email: person.email },
      }),
    ]),
    ...surplus.flatMap((old) => sessionEndWrites(list, old)),
  ]);
  if (outcome === 'again') return outcome;
  if (outcome === 'used') return { outcome };
  return { outcome: 'signed in', secrets, seconds: LONGEST_SIGN_IN, ended: surplus.map(({ hash }) => hash) };
}

interface Arrival {
  org: OrganizationId;
  role: Role;
  isByRule: boolean;
}

/** Returns the organizations that the user reaches for the first time with a sign-in: by a rule, or as a member. */
async function arrivalsOf(
  table: Table,
  { id }: UserRecord,
  { letting, isFirst }: { letting: readonly LettingOrganization[]; isFirst: boolean },
): Promise<Arrival[]> {
  const listed = await table.getMany(letting.map((org) => memberOfKey(id, org.id)));
  const isListed = (org: OrganizationId) => listed.has(`${memberOfKey(id, org).pk}\n${org}`);
  const byRule = letting.filter((org) => !isListed(org.id)).map(({ id: org, role }) => ({ org, role, isByRule: true }));
  const memberships = isFirst
    ? await readOrganizations(table, id, await listedOrganizations(table, id), undefined)
    : [];
  const asMember = memberships.map(({ id: org, role }) => ({ org, role, isByRule: false }));
  return [...asMember, ...byRule].slice(0, MOST_LOGS);
}

/**
 * Notes in the audit log of an organization that a person wanted to come in and was refused: once an hour for each person and
 * reason (rules/sign-in.md#audit-of-sign-ins).
 *
 * @param orgName the organization of the page that the sign-in began with
 */
export async function noteRefusedPerson(
  { issuer, subject, email }: Person,
  why: SignInRefusal,
  orgName: string,
  { table, clock }: Stores,
): Promise<void> {
  const org = await new Directory(table).organization(orgName);
  if (!org) return;
  const at = clock.now();
  await noteRefusedToken(table, org.id, {
    hour: hourOf(at),
    kind: `sign_in#${why}#${subjectHash({ issuer, subject })}`,
    at,
    change: {
      kind: 'sign_in.refused',
      subject: { type: 'person', name: email ?? subject },
      after: { reason: why, issuer, subject, email },
    },
  });
}
