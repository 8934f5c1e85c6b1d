import type { Stores } from '#shared/bodies/stores.ts';
import type { AuditedChange } from '../records/audit.ts';
import { Directory } from '../records/directory.ts';
import type { OrganizationRecord } from '../records/directory-records.ts';
import { findIdentity } from '../records/identities.ts';
import { hourOf, recordRefusedToken } from '../records/token-writes.ts';
import type { Person } from '../rules/sign-in.ts';
import { grantsOf } from '../rules/sign-in-rules.ts';
import type { SignInRefusal } from './sign-in.ts';

type Recording = Pick<Stores, 'table' | 'clock'>;

/** What an organization has to do with a person who was refused. */
type Relation = { member: { id: string; name: string } } | { domain: string } | { group: string };

/**
 * Writes into the audit log of an organization that a person wanted to come in and was refused, if the organization has to do
 * with the person: once an hour for each relation and reason (rules/sign-in.md#audit-of-sign-ins). Otherwise everybody could
 * write into every log, and every administrator could learn who tries.
 *
 * @param orgName the organization of the page that the sign-in began with
 */
export async function recordRefusedPerson(
  person: Person,
  reason: SignInRefusal,
  orgName: string,
  stores: Recording,
): Promise<void> {
  const org = await new Directory(stores.table).organization(orgName);
  const relation = org && (await relationOf(stores, org, person));
  if (!relation) return;
  const at = stores.clock.now();
  await recordRefusedToken(stores.table, org.id, {
    hour: hourOf(at),
    kind: `sign_in#${reason}#${JSON.stringify(relation)}`,
    at,
    change: changeOf(relation, reason),
  });
}

async function relationOf(
  { table }: Recording,
  org: OrganizationRecord,
  person: Person,
): Promise<Relation | undefined> {
  const { bySubject, byEmail } = await findIdentity(table, person);
  const user = bySubject ?? byEmail;
  if (user && (await new Directory(table).member(org.id, user.id))) return { member: { id: user.id, name: user.name } };
  const grants = grantsOf(org);
  const { domain, groups } = person.claims;
  if (domain !== undefined && grants.domains.includes(domain)) return { domain };
  const group = groups.find((one) => grants.groups.includes(one));
  return group === undefined ? undefined : { group };
}

/** A refused person is nobody's member, so the entry says which rule could have fitted, and neither address nor subject. */
function changeOf(relation: Relation, reason: SignInRefusal): AuditedChange {
  const kind = 'sign_in.refused';
  if ('member' in relation) {
    const { id, name } = relation.member;
    return { kind, subject: { type: 'user', id, name }, after: { reason } };
  }
  const name = 'domain' in relation ? relation.domain : relation.group;
  return { kind, subject: { type: 'person', name }, after: { reason, ...relation } };
}
