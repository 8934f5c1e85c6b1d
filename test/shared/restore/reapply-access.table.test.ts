import { describe, expect, it } from 'vitest';
import { fromSeconds } from '#shared/base/time.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { readTrust } from '#shared/organizations/records/trusts.ts';
import { signInWith } from '#test/functions/user/sessions-api.ts';
import { anOrganization, twoTables } from './two-tables.ts';

/** Each test ends something after the instant, and finds it ended in the restored table too. */

const tables = await twoTables();
const { old, restored, restore, reapply, operate } = tables;
const { table: to, clock } = restored.services;

const directory = new Directory(to);
const orgOf = async (name: string) => {
  const record = await directory.organization(name);
  if (!record) throw new Error(`The restored table has the organization ${name}`);
  return record;
};
/** What was applied in one organization, or to one user. */
const appliedIn = ({ applied }: Awaited<ReturnType<typeof reapply>>, name: string) =>
  applied.filter(({ organization, name: of }) => organization === name || of.startsWith(name)).map(({ kind }) => kind);

describe('reapplyEnds, keys', () => {
  it('revokes a key of a service account, and says when it was revoked and by whom', async () => {
    const acme = await anOrganization(tables);
    await acme.create({ name: 'ci', privilege: 'member' });
    const [gone, stays] = [await acme.issue('ci'), await acme.issue('ci')];
    const since = await restore();
    await acme.send('DELETE', acme.keysOf('ci', `/${gone.id}`), { text: 'null' });
    const { applied } = await reapply(since);
    expect(applied.filter(({ organization }) => organization === acme.org)).toEqual([
      {
        organization: acme.org,
        kind: 'api_key.revoked',
        name: 'd',
        id: gone.id,
        at: expect.any(Number),
        by: `${acme.org}-admin`,
      },
    ]);
    expect([await acme.statusOf(gone.key), await acme.statusOf(stays.key)]).toEqual([401, 200]);
    const { json } = await acme.there('GET', `/audit/${acme.org}`, { query: 'kind=api_key.revoked' });
    expect(json).toMatchObject({ entries: [{ subject: { id: gone.id }, actor: { name: `${acme.org}-admin` } }] });
  });

  it('applies a rotation as a whole: the old secret ends after its grace, and the new one works', async () => {
    const acme = await anOrganization(tables);
    await acme.create({ name: 'ci', privilege: 'member' });
    const key = await acme.issue('ci');
    const since = await restore();
    const next = await acme.send('POST', acme.keysOf('ci', `/${key.id}/rotate`), { json: { grace_period_hours: 1 } });
    await reapply(since);
    const secrets = [key.key, String(next['key'])];
    expect(await Promise.all(secrets.map(acme.statusOf))).toEqual([200, 200]);
    clock.advance(3_601_000_000);
    expect(await Promise.all(secrets.map(acme.statusOf))).toEqual([401, 200]);
    clock.advance(-3_601_000_000);
  });

  it('revokes and rotates personal keys that no organization logs', async () => {
    const acme = await anOrganization(tables);
    const { member, reader } = acme.keys;
    const idOf = async (key: string) => {
      const { json } = await acme.call('GET', '/user/api-keys', { key });
      return (json as { id: string }[])[0]?.id;
    };
    const [revoked, rotated] = [await idOf(member), await idOf(reader)];
    const since = await restore();
    await acme.send('DELETE', `/user/api-keys/${revoked}`, { key: member, text: 'null' });
    const next = await acme.send('POST', `/user/api-keys/${rotated}/rotate`, { key: reader, json: {} });
    const { applied } = await reapply(since);
    expect(applied).toEqual(
      expect.arrayContaining([
        { organization: null, kind: 'api_key.revoked', name: 'Of a test', id: revoked, at: null, by: null },
        { organization: null, kind: 'api_key.rotated', name: 'Of a test', id: rotated, at: null, by: null },
      ]),
    );
    expect([await acme.statusOf(member), await acme.statusOf(String(next['key']))]).toEqual([401, 200]);
  });

  it('ends the keys of a user whom the operator identified with --end-keys, and what the user was known by', async () => {
    const acme = await anOrganization(tables);
    const user = `${acme.org}-member`;
    await operate({ command: 'identify-user', user, email: 'ann@old.example' });
    const since = await restore();
    await operate({ command: 'identify-user', user, email: 'ann@new.example', end_keys: true });
    const report = await reapply(since);
    expect(report.applied).toContainEqual(expect.objectContaining({ kind: 'user.identified', name: user }));
    expect((await directory.user(user))?.identity).toEqual({ email: 'ann@new.example' });
    expect([await acme.statusOf(acme.keys.member), await acme.statusOf(acme.keys.reader)]).toEqual([401, 200]);
  });

  it('moves an address from one user to another', async () => {
    const acme = await anOrganization(tables);
    const [ann, bob] = [`${acme.org}-member`, `${acme.org}-admin`];
    const email = `${acme.org}@example.com`;
    await operate({ command: 'identify-user', user: bob, email });
    const since = await restore();
    await operate({ command: 'identify-user', user: bob });
    await operate({ command: 'identify-user', user: ann, email });
    await reapply(since);
    expect([(await directory.user(ann))?.identity, (await directory.user(bob))?.identity]).toEqual([{ email }, {}]);
  });

  it('ends every session, and a new one can be started', async () => {
    const acme = await anOrganization(tables);
    const { sent } = await signInWith(old)(acme.keys.member);
    const since = await restore();
    const answer = async () =>
      (await restored.call('GET', '/user', { cookies: [sent], headers: { 'sec-fetch-site': 'same-origin' } })).status;
    const { applied } = await reapply(since);
    expect(applied).toContainEqual(expect.objectContaining({ kind: 'sessions.ended', name: `${acme.org}-member` }));
    expect(await answer()).toBe(401);
    expect(await (await signInWith(restored)(acme.keys.member)).status()).toBe(200);
  });
});

describe('reapplyEnds, members', () => {
  it('removes a removed member and lowers a lowered role, and keeps the others', async () => {
    const acme = await anOrganization(tables);
    const since = await restore();
    await acme.dismiss(`${acme.org}-member`);
    await acme.put(`${acme.org}-snapshotter`, 'reader');
    const report = await reapply(since);
    expect(appliedIn(report, acme.org)).toEqual(['member.removed', 'member.role_changed']);
    expect(await acme.statusOf(acme.keys.member)).toBe(403);
    const { json } = await acme.there('GET', '/organizations/ORG/members');
    expect((json as { name: string; role: string }[]).map(({ name, role }) => [name, role])).toEqual([
      [`${acme.org}-admin`, 'admin'],
      [`${acme.org}-reader`, 'reader'],
      [`${acme.org}-snapshotter`, 'reader'],
    ]);
  });

  it('gives no role that was given after the instant, and says if no admin is left', async () => {
    const acme = await anOrganization(tables);
    const since = await restore();
    await acme.put(`${acme.org}-member`, 'admin');
    await acme.put(`${acme.org}-admin`, 'reader', { key: acme.keys.member });
    const { open } = await reapply(since);
    expect(open.filter(({ organization }) => organization === acme.org)).toEqual([
      expect.objectContaining({ reason: `The organization '${acme.org}' has no admin. Give it one with add-member` }),
    ]);
    const { id } = await orgOf(acme.org);
    const user = await directory.user(`${acme.org}-member`);
    expect(user && (await directory.member(id, user.id))?.role).toBe('member');
  });

  it('withdraws an invitation that was withdrawn, and one whose member was removed', async () => {
    const acme = await anOrganization(tables);
    const other = await anOrganization(tables);
    const [stranger, joiner, kept] = [`${other.org}-reader`, `${other.org}-member`, `${other.org}-snapshotter`];
    for (const name of [stranger, joiner, kept]) await acme.put(name, 'member');
    const since = await restore();
    await acme.dismiss(stranger);
    await old.call('PUT', `/organizations/${acme.org}/membership`, { key: other.keys.member, text: 'null' });
    await acme.dismiss(joiner);
    await reapply(since);
    const { json } = await acme.there('GET', '/organizations/ORG/members');
    const invited = (json as { name: string; is_invited: boolean }[]).filter(({ is_invited }) => is_invited);
    expect(invited.map(({ name }) => name)).toEqual([kept]);
    const join = (key: string) =>
      restored.call('PUT', `/organizations/${acme.org}/membership`, { key, text: 'null' }).then(({ status }) => status);
    expect([await join(other.keys.reader), await join(other.keys.member), await join(other.keys.snapshotter)]).toEqual([
      404, 404, 200,
    ]);
  });
});

describe('reapplyEnds, service accounts and trusts', () => {
  const trust = { service_account: 'ci', preset: 'github', audience: 'x' };

  it('deletes a deleted account with its keys, and lowers a lowered privilege', async () => {
    const acme = await anOrganization(tables);
    for (const name of ['gone', 'lower', 'same']) await acme.create({ name, privilege: 'member' });
    const keys = [await acme.issue('gone'), await acme.issue('lower'), await acme.issue('same')];
    const since = await restore();
    await acme.remove('gone');
    await acme.patch('lower', { privilege: 'reader' });
    await reapply(since);
    expect(await Promise.all(keys.map(({ key }) => acme.statusOf(key)))).toEqual([401, 200, 200]);
    const { json } = await acme.there('GET', `/service-accounts/${acme.org}`);
    expect((json as { name: string; privilege: string }[]).map(({ name, privilege }) => [name, privilege])).toEqual([
      ['lower', 'reader'],
      ['same', 'member'],
    ]);
  });

  it('deletes a deleted trust, narrows a narrowed one, and removes one that may accept other tokens', async () => {
    const acme = await anOrganization(tables);
    await acme.create({ name: 'ci', privilege: 'member' });
    const put = (name: string, ids: string[]) =>
      acme.send('PUT', `/trusts/ORG/${name}`, { json: { ...trust, claims: { repository_id: ids } } });
    for (const name of ['gone', 'narrow', 'wide', 'same']) await put(name, ['1', '2']);
    const since = await restore();
    const { id } = await orgOf(acme.org);
    await acme.send('DELETE', '/trusts/ORG/gone', { text: 'null' });
    await put('narrow', ['1']);
    await put('wide', ['1', '3']);
    const before = await readTrust(old.services.table, id, 'narrow');
    const { open } = await reapply(since);
    const left = await Promise.all(['gone', 'narrow', 'wide', 'same'].map((name) => readTrust(to, id, name)));
    expect(left.map((one) => one?.claims)).toEqual([
      undefined,
      [expect.objectContaining({ values: ['1'] })],
      undefined,
      [expect.objectContaining({ values: ['1', '2'] })],
    ]);
    expect(left[1]?.terms).toBe(before?.terms);
    expect(open.filter(({ organization }) => organization === acme.org)).toEqual([
      expect.objectContaining({ name: 'wide', reason: expect.stringContaining('so it was removed. Put it again') }),
    ]);
  });
});

describe('reapplyEnds, organizations', () => {
  it('closes a public log, and opens no feature that was opened after the instant', async () => {
    const acme = await anOrganization(tables);
    const set = (feature: string, enabled: boolean) =>
      operate({ command: 'set-feature', organization: acme.org, feature, enabled });
    await set('public_log', true);
    await set('controls', false);
    const since = await restore();
    await set('public_log', false);
    await set('controls', true);
    const report = await reapply(since);
    expect((await orgOf(acme.org)).features).toEqual(['evaluations']);
    expect(appliedIn(report, acme.org)).toEqual(['organization.features_changed']);
  });

  it('takes back sign-in rules and grants, lowers the role of a rule, and gives no new ones', async () => {
    const acme = await anOrganization(tables);
    const groups = ['a', 'b', 'c'].map((name) => `${acme.org}-${name}`);
    const [a, b, c] = groups;
    const put = (rules: unknown[]) => acme.send('PUT', '/organizations/ORG/sign-in-rules', { json: { rules } });
    await acme.grant({ group: groups });
    await put([
      { group: a, role: 'admin' },
      { group: b, role: 'member' },
    ]);
    const since = await restore();
    await put([
      { group: a, role: 'reader' },
      { group: c, role: 'admin' },
    ]);
    await operate({ command: 'revoke-sign-in', organization: acme.org, group: [b] });
    await operate({ command: 'grant-sign-in', organization: acme.org, group: [`${acme.org}-d`] });
    await reapply(since);
    const { signInRules, signInGrants } = await orgOf(acme.org);
    expect(signInRules).toEqual([{ group: a, role: 'reader' }]);
    expect(signInGrants?.groups.toSorted()).toEqual([a, c]);
  });

  it('suspends an organization that was suspended, and resumes none', async () => {
    const [acme, other] = [await anOrganization(tables), await anOrganization(tables)];
    const suspend = (organization: string) =>
      operate({ command: 'suspend-organization', organization, what: 'writes', reason: 'A pipeline loops' });
    await suspend(other.org);
    const since = await restore();
    await suspend(acme.org);
    await operate({ command: 'resume-organization', organization: other.org });
    const report = await reapply(since);
    expect((await orgOf(acme.org)).suspension).toMatchObject({ what: 'writes', reason: 'A pipeline loops' });
    expect((await orgOf(other.org)).suspension).toMatchObject({ what: 'writes' });
    expect(appliedIn(report, acme.org)).toEqual(['organization.suspension_changed']);
  });

  it('refuses an instant in the future', async () => {
    await expect(reapply(fromSeconds(9_000_000_000))).rejects.toMatchObject({ kind: 'invalid' });
  });
});
