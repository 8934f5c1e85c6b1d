import { describe, expect, it } from 'vitest';
import { type Id, newId } from '#shared/base/ids.ts';
import { entryOfItem } from '#shared/log/item-entries.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { auditPartition } from '#shared/organizations/records/keys.ts';
import { memberOfItem } from '#shared/organizations/records/organizations-of-user.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { integratorOf } from '#test/support/log/log.ts';
import { anOrganization, twoTables } from './two-tables.ts';

/** What a restore finds by another way than entries of the old table, and what it leaves open. */

const tables = await twoTables();
const { old, restored, restore, reapply, operate } = tables;
const { table: from, clock, files } = old.services;
const { table: to } = restored.services;
const directory = new Directory(to);

const idsOf = async (org: string) => {
  const [record, user] = await Promise.all([directory.organization(org), directory.user(`${org}-member`)]);
  if (!record || !user) throw new Error('The restored table has the organization and its member');
  return { org: record.id, user: user.id };
};
/** The newest entry of the audit log of the old table. */
const newestEntry = async (org: Parameters<typeof auditPartition>[0]) => {
  const pk = auditPartition(org, monthOf(newId(clock.now())));
  const [item] = await from.query({ pk, newestFirst: true, limit: 1 });
  if (!item) throw new Error('The audit log has an entry');
  return item;
};

describe('reapplyEnds', () => {
  it('ends the access of a user who joined by a sign-in rule and left', async () => {
    const [acme, other] = [await anOrganization(tables), await anOrganization(tables)];
    const { id } = (await new Directory(from).organization(acme.org)) ?? {};
    const users = ['member', 'reader'].map((role) => new Directory(from).user(`${other.org}-${role}`));
    const [left, stayed] = await Promise.all(users);
    if (!id || !left || !stayed) throw new Error('The old table has both users');
    for (const user of [left, stayed]) await from.put(memberOfItem(user.id, id, clock.now()));
    const since = await restore();
    const path = `/organizations/${acme.org}/membership`;
    expect((await old.call('DELETE', path, { key: other.keys.member, text: 'null' })).status).toBe(200);
    const { applied } = await reapply(since);
    expect(applied).toContainEqual(expect.objectContaining({ kind: 'sign_in.left', name: left.name, by: left.name }));
    expect(await directory.joined(id, left.id)).toBeUndefined();
    expect(await directory.joined(id, stayed.id)).toBeDefined();
  });

  it('names changes that only the log has, and none that the restored table has', async () => {
    const acme = await anOrganization(tables);
    await acme.create({ name: 'ci', privilege: 'member' });
    const since = await restore();
    const ids = await idsOf(acme.org);
    const kept = await newestEntry(ids.org);
    await acme.dismiss(`${acme.org}-member`);
    const lost = await newestEntry(ids.org);
    const bytes = [kept, lost].flatMap((item) => entryOfItem(item)?.bytes ?? []);
    expect(await integratorOf(to).integrate(ids.org, bytes)).toBe(0);
    const { open } = await reapply(since, { from: undefined, exported: async () => [] });
    expect(open.filter(({ organization }) => organization === acme.org)).toEqual([
      {
        organization: acme.org,
        kind: 'member.removed',
        name: lost.sk,
        id: lost.sk,
        at: lost['at'],
        by: null,
        reason: 'The log has this change and nothing says what it ended. Look at what is of this kind',
      },
    ]);
    const { open: none } = await reapply(since);
    expect(none.filter(({ organization }) => organization === acme.org)).toEqual([]);
  });

  it('names an audit entry that cannot be read, and one whose values were erased', async () => {
    const acme = await anOrganization(tables);
    await acme.create({ name: 'ci', privilege: 'member' });
    const key = await acme.issue('ci');
    const since = await restore();
    const { org } = await idsOf(acme.org);
    await acme.send('DELETE', acme.keysOf('ci', `/${key.id}`), { text: 'null' });
    const { sk: erased } = await newestEntry(org);
    await operate({ command: 'erase-body', organization: acme.org, kind: 'audit-entry', id: erased, reason: 'r' });
    await acme.dismiss(`${acme.org}-member`);
    const unreadable = await newestEntry(org);
    await from.put({ ...unreadable, kind: 7 });
    const { open } = await reapply(since);
    const own = open.filter(({ organization }) => organization === acme.org);
    expect(own.map(({ kind, id, reason }) => [kind, id, reason.split('.')[0]])).toEqual([
      ['unreadable', unreadable.sk, 'The audit entry cannot be read in the old table, so nothing says what ended'],
      ['api_key.revoked', key.id, 'The values of the entry were erased, so nothing says whose key it is'],
    ]);
  });

  it('names an audit entry of a kind that this release does not know', async () => {
    const acme = await anOrganization(tables);
    const since = await restore();
    const entry = {
      id: newId<Id>(clock.now()),
      at: clock.now(),
      kind: 'thing.ended',
      actor: { kind: 'operator' as const, id: 'operator', name: 'operator', keyId: null },
      subject: { type: 'thing', id: null, name: 'x' },
      before: null,
      after: null,
    };
    const exported = async ({ name }: { name: string }) => (name === acme.org ? [entry] : []);
    const { open } = await reapply(since, { from: undefined, exported });
    expect(open).toEqual([expect.objectContaining({ organization: acme.org, kind: 'thing.ended', name: 'x' })]);
  });

  it('keeps files of exports that were made after the instant, although texts are erased again', async () => {
    const acme = await anOrganization(tables);
    await acme.send('PUT', '/flows/ORG', { json: { name: 'web', description: 'a secret' } });
    const since = await restore();
    const { org } = await idsOf(acme.org);
    await operate({ command: 'erase-body', organization: acme.org, kind: 'flow', flow: 'web', reason: 'r' });
    const later = newId<Id>(clock.now());
    await files.putNote(org, later, 'plan', Buffer.from('x'));
    const { applied } = await reapply(since);
    expect(applied).toContainEqual(expect.objectContaining({ organization: acme.org, kind: 'evidence.erased' }));
    expect((await files.versions(org, later)).length).toBe(1);
  });

  it('ends a replaced secret after its grace without the old table, and says that the new one is unknown', async () => {
    const acme = await anOrganization(tables);
    await acme.create({ name: 'ci', privilege: 'member' });
    const key = await acme.issue('ci');
    const since = await restore();
    await acme.send('POST', acme.keysOf('ci', `/${key.id}/rotate`), { json: { grace_period_hours: 1 } });
    const { json } = await acme.call('GET', `/audit/${acme.org}`, { query: 'kind=api_key.rotated' });
    const [entry] = (json as { entries: Record<string, unknown>[] }).entries;
    const { org } = await idsOf(acme.org);
    const item = await newestEntry(org);
    const rotated = {
      ...(item as unknown as Parameters<typeof exportedOf>[0]),
      before: entry?.['before'] as never,
      after: entry?.['after'] as never,
    };
    const exported = exportedOf(rotated, acme.org);
    const { applied, open } = await reapply(since, { from: undefined, exported });
    expect([applied, open].map((ends) => ends.map(({ kind }) => kind))).toEqual([
      ['api_key.rotated'],
      ['api_key.rotated'],
    ]);
    expect(await acme.statusOf(key.key)).toBe(200);
    restored.services.clock.advance(3_601_000_000);
    expect(await acme.statusOf(key.key)).toBe(401);
    expect((await reapply(since, { from: undefined, exported })).applied).toEqual([]);
  });
});

type Exported = NonNullable<Parameters<typeof reapply>[1]>['exported'];
type Entries = NonNullable<Awaited<ReturnType<NonNullable<Exported>>>>;

/** An export with one entry of one organization. */
const exportedOf =
  (entry: Entries[number], org: string): Exported =>
  async ({ name }) =>
    name === org ? [entry] : [];
