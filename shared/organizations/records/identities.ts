import { again } from '#shared/base/retry.ts';
import { absent, change, either, equal, exists, onlyIf, unchanged } from '#shared/table/expressions.ts';
import { type Item, keyText, putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { type Person, subjectHash } from '../rules/sign-in.ts';
import { newUserWrite } from './directory.ts';
import { EmailRecord, SubjectRecord, type UserIdentity, type UserRecord } from './directory-records.ts';
import { emailKey, subjectKey, userKey } from './keys.ts';

/**
 * How users are known to the provider (rules/sign-in.md#who-is-who). The user's record says by what. An item for the e-mail
 * address and an item for the subject find the user. Whoever writes these items can sign in as any user, so only the
 * functions of users and of operators may.
 */

/** Finds who a person is: by the subject, and by the verified e-mail address. One call reads both. */
export async function findIdentity(
  table: Table,
  { issuer, subject, email }: Pick<Person, 'issuer' | 'subject' | 'email'>,
): Promise<{ bySubject?: SubjectRecord | undefined; byEmail?: EmailRecord | undefined }> {
  const ofSubject = subjectKey(subjectHash({ issuer, subject }));
  const ofEmail = email === undefined ? undefined : emailKey(email);
  const items = await table.getMany(ofEmail ? [ofSubject, ofEmail] : [ofSubject]);
  const [found, known] = [items.get(keyText(ofSubject)), ofEmail && items.get(keyText(ofEmail))];
  return { bySubject: found && SubjectRecord.parse(found), byEmail: known && EmailRecord.parse(known) };
}

type User = Pick<UserRecord, 'id' | 'name'>;

const itemOf = ({ id, name }: User) => ({ v: 1 as const, id, name });

/** Returns the writes that make somebody a user whom a sign-in rule lets in. They are refused with `again` if one of the items is there. */
export function newPersonWrites(user: UserRecord, { email, issuer, subject }: Person): Write<'again'>[] {
  const identity = { issuer, subject, ...(email !== undefined && { email }) };
  return [
    newUserWrite({ ...user, identity, byRule: true }, again),
    ...itemsOf(user, identity).map((item) => putIfAbsent(item, again)),
  ];
}

/** Returns the writes for the first sign-in of a user who is known by an e-mail address: from then on, the subject counts. */
export function bindingWrites(user: User, { email, issuer, subject }: Person & { email: string }): Write<'again'>[] {
  return [
    putIfAbsent({ ...subjectKey(subjectHash({ issuer, subject })), ...itemOf(user) }, again),
    {
      update: emailKey(email),
      ...change({ set: { subject: subjectHash({ issuer, subject }) } }, unchanged(user, 'id'), absent('subject')),
      refused: again,
    },
    identityUpdate(user, { email, issuer, subject }),
  ];
}

const identityUpdate = (user: User, identity: UserIdentity): Write => ({
  update: userKey(user.name),
  ...change({ set: { identity } }, exists()),
});

/**
 * Replaces what a user is known by.
 *
 * @returns `taken` if another user is known by the address or by the subject; `again` if the user changed since it was read
 */
export async function setIdentity(
  table: Table,
  user: UserRecord,
  identity: UserIdentity,
): Promise<'done' | 'again' | 'taken'> {
  const [old, present] = [itemsOf(user, user.identity ?? {}), itemsOf(user, identity)];
  const taken = (item: Item | undefined) =>
    item && SubjectRecord.parse(item).id !== user.id ? ('taken' as const) : again();
  const kept = new Set(present.map(keyText));
  return table.transact<'again' | 'taken'>([
    ...present.map((item) => ({
      put: item,
      ...onlyIf(either(absent(), unchanged(user, 'id'))),
      refused: taken,
    })),
    ...old.filter((item) => !kept.has(keyText(item))).map(({ pk, sk }) => ({ remove: { pk, sk } })),
    {
      update: userKey(user.name),
      ...change({ set: { identity } }, user.identity ? equal({ identity: user.identity }) : absent('identity')),
      refused: again,
    },
  ]);
}

/** Returns the items that find a user. With a subject, the address belongs to this subject alone. */
function itemsOf(user: User, { email, issuer, subject }: UserIdentity): Item[] {
  const hash = issuer === undefined || subject === undefined ? undefined : subjectHash({ issuer, subject });
  return [
    ...(email === undefined
      ? []
      : [{ ...emailKey(email), ...itemOf(user), ...(hash !== undefined && { subject: hash }) }]),
    ...(hash === undefined ? [] : [{ ...subjectKey(hash), ...itemOf(user) }]),
  ];
}
