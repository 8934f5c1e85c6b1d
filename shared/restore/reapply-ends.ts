import { invalid } from '#shared/base/errors.ts';
import { type OrganizationId, type PrincipalId, storedId } from '#shared/base/ids.ts';
import { type Clock, type Micros, minus } from '#shared/base/time.ts';
import type { ExportFiles } from '#shared/bodies/export-files.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { listOrganizations } from '#shared/organizations/list-organizations.ts';
import { accountKeyList, keyListOf, userPrincipal } from '#shared/organizations/records/api-keys.ts';
import type { OrganizationRecord } from '#shared/organizations/records/directory-records.ts';
import { type Member, readUsers } from '#shared/organizations/records/members.ts';
import { AccountRecord, readAccountItems } from '#shared/organizations/records/service-accounts.ts';
import type { Table } from '#shared/table/table.ts';
import type { EndEntry, Restoring } from './context.ts';
import { endAccounts } from './ends/end-accounts.ts';
import { endActions } from './ends/end-actions.ts';
import { endArchives } from './ends/end-archives.ts';
import { endKeys } from './ends/end-keys.ts';
import { endMembers } from './ends/end-members.ts';
import { endOrganization } from './ends/end-organization.ts';
import { endIdentities, endPersonalKeys, endSessions } from './ends/end-people.ts';
import { endTrusts } from './ends/end-trusts.ts';
import { eraseAgain } from './ends/erase-again.ts';
import { recallAgain } from './ends/recall-again.ts';
import { MARGIN, readEntriesSince, readJoined } from './read-ends.ts';
import { readLoggedChanges } from './read-logged.ts';
import { type End, type Note, type OpenEnd, Report } from './report.ts';
import { type Part, partOf } from './rules/decisions.ts';
import { ALWAYS_UNKNOWN, UNKNOWN_WITHOUT_TABLE } from './rules/unknown.ts';

/** Two tables, and what ended between them. */
interface Restored {
  /** The old table; undefined if it cannot be read. */
  from: Table | undefined;
  /** The restored table. Nobody else writes to it. */
  to: Table;
  objects: Objects;
  files: ExportFiles;
  clock: Clock;
  /** The instant of the restore. */
  since: Micros;
  /**
   * Reads the audit entries of an export that was made after the instant and verified; null if there is none. Asked only if the old
   * table cannot be read.
   */
  exported?: ((org: { id: OrganizationId; name: string }) => Promise<readonly EndEntry[] | null>) | undefined;
  /** Called before each write, with what it ends, and for each end that stays open. */
  note?: Note | undefined;
}

interface ReappliedEnds {
  applied: readonly End[];
  /** Ends that were not applied, or only in part, with the reason. */
  open: readonly OpenEnd[];
  /** What nothing stored says, one sentence each. */
  unknown: readonly string[];
}

/** Organizations that are read at once. */
const PAGE = 100;

const PARTS: Readonly<Record<Part, (restoring: Restoring, entries: readonly EndEntry[]) => Promise<void>>> = {
  organization: endOrganization,
  members: endMembers,
  accounts: endAccounts,
  trusts: endTrusts,
  keys: endKeys,
  actions: endActions,
  archives: endArchives,
  recalls: recallAgain,
  erasures: eraseAgain,
};

/**
 * Applies again, in a restored table, everything that was ended after the instant of the restore (rules/restore.md). What was given
 * after the instant is not given again. The call can be killed at any write and repeated: a repetition applies what is left.
 *
 * @returns what this call applied, and what it could not know. `note` gets the same, also of calls that were killed
 * @throws ServiceError `invalid` if the instant lies in the future
 */
export async function reapplyEnds(restored: Restored): Promise<ReappliedEnds> {
  const { from, to, clock, since, note } = restored;
  if (since > clock.now()) throw invalid({ since: 'The instant of the restore lies in the future' });
  const report = new Report(note);
  const users = new Map<PrincipalId, Member>();
  let after: OrganizationId | undefined;
  do {
    const page = await listOrganizations({ table: to }, { after, limit: PAGE });
    for (const { id, name, record } of page.organizations) {
      if (record) for (const user of await ofOrganization(restored, record, report)) users.set(user.id, user);
      else
        await report.leaveOpen(withoutRecord(id, name), 'The restored table has lost the record of the organization');
    }
    after = page.next ?? undefined;
  } while (after !== undefined);
  const people = { stores: { table: to, clock }, from, report };
  for (const user of users.values()) {
    await endPersonalKeys(people, user);
    await endSessions(people, keyListOf(userPrincipal(user)), user);
  }
  await endIdentities(people, [...users.values()]);
  return {
    applied: report.applied,
    open: report.open,
    unknown: from ? ALWAYS_UNKNOWN : [...ALWAYS_UNKNOWN, ...UNKNOWN_WITHOUT_TABLE],
  };
}

/** Applies the ends of one organization. @returns the users that it knows */
async function ofOrganization(restored: Restored, org: OrganizationRecord, report: Report): Promise<Member[]> {
  const { from, to, objects, files, clock, since } = restored;
  const stores = { table: to, objects, files, clock };
  const restoring: Restoring = { stores, from, org, report };
  // Ended members are users too, so they are read before their memberships end.
  const members = (await readUsers(to, org.id)).map(({ principal: id, name }) => ({ id, name }));
  const entries = await entriesOf(restored, org, report);
  await openLogged(restoring, since, entries);
  const byPart = Map.groupBy(entries, ({ kind }) => partOf(kind));
  for (const entry of byPart.get('unknown') ?? []) {
    const { kind, subject, at, actor } = entry;
    const end = { organization: org.name, kind, name: subject.name, id: subject.id, at, by: actor.name };
    await report.leaveOpen(end, 'This release does not know this kind of audit entry. Look at what it changed');
  }
  for (const [part, apply] of Object.entries(PARTS)) {
    // The keys of the table are parts.
    const own = byPart.get(part as Part);
    if (own) await apply(restoring, own);
  }
  for (const item of await readAccountItems(to, org.id)) {
    const { data } = AccountRecord.safeParse(item);
    if (data) await endSessions(restoring, accountKeyList(org.id, data.name), data);
  }
  const joined = (org.signInRules ?? []).length > 0 ? await readJoined(to, org.id, clock.now()) : [];
  return [...members, ...joined, ...entries.flatMap(usersIn)];
}

/** Names the ends that the log knows of and nothing else: their entries say neither what ended nor by whom. */
async function openLogged(restoring: Restoring, since: Micros, entries: readonly EndEntry[]): Promise<void> {
  const { stores, org, report } = restoring;
  const known = new Set(entries.map(({ id }) => id));
  for (const { id, kind, at } of await readLoggedChanges(stores, org.id, since)) {
    if (known.has(id) || partOf(kind) === null) continue;
    const end = { organization: org.name, kind, name: id, id, at, by: null };
    await report.leaveOpen(end, 'The log has this change and nothing says what it ended. Look at what is of this kind');
  }
}

async function entriesOf(
  { from, clock, since, exported }: Restored,
  org: OrganizationRecord,
  report: Report,
): Promise<readonly EndEntry[]> {
  if (from) {
    const { entries, unreadable } = await readEntriesSince(from, org.id, since, clock.now());
    for (const id of unreadable) {
      const end = { organization: org.name, kind: 'unreadable', name: id, id, at: null, by: null };
      await report.leaveOpen(end, 'The audit entry cannot be read in the old table, so nothing says what ended');
    }
    return entries;
  }
  const entries = (await exported?.(org)) ?? null;
  if (entries)
    return entries.filter(({ at }) => at >= minus(since, MARGIN)).toSorted((one, other) => one.at - other.at);
  const end = { organization: org.name, kind: 'organization', name: org.name, id: org.id, at: null, by: null };
  const reason =
    'Neither the old table nor an export says what ended here after the instant. Look at members, keys, trusts and sign-in rules';
  await report.leaveOpen(end, reason);
  return [];
}

const withoutRecord = (id: string, name: string): End => ({
  organization: name,
  kind: 'organization',
  name,
  id,
  at: null,
  by: null,
});

/** The users whom an entry names. */
const usersIn = ({ actor, subject }: EndEntry): Member[] => [
  ...(actor.kind === 'user' ? [{ id: storedId<PrincipalId>(actor.id), name: actor.name }] : []),
  ...(subject.type === 'user' && subject.id !== null
    ? [{ id: storedId<PrincipalId>(subject.id), name: subject.name }]
    : []),
];
