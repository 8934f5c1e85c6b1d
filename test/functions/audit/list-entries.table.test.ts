import { describe, expect, it } from 'vitest';
import { firstIdAt, newId, type PrincipalId, timeOfId } from '#shared/base/ids.ts';
import { type Duration, micros, minus, toSeconds } from '#shared/base/time.ts';
import { hashKey } from '#shared/callers/credentials.ts';
import { type AuditActor, AuditRecord, auditHash, auditWrite } from '#shared/organizations/records/audit.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { auditKey } from '#shared/organizations/records/keys.ts';
import type { AuditKind } from '#shared/organizations/rules/audit-kinds.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { storedKey } from '#shared/table/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { type AuditEntry, adminApi, newOrganization, refusal, refused } from '#test/support/admin.ts';
import { itemOf, uniqueName } from '#test/support/directory.ts';

const api = await adminApi();
const { table, clock } = api.services;
const directory = new Directory(table);
const DAY: Duration = 24 * 3600 * 1_000_000;

interface Page {
  entries: AuditEntry[];
  next_cursor: string | null;
}

type Change = [at: number, kind?: string, actor?: Partial<AuditActor>];

/** An organization of a given age, with changes in its past. */
async function oldOrganization(age: Duration) {
  const now = clock.now();
  const { id, name } = (
    await directory.createOrganization({
      id: newId(micros(now - age)),
      name: uniqueName('old'),
      kind: 'shared',
      features: [],
      createdAt: micros(now - age),
    })
  ).record;
  const key = uniqueName('key');
  const principal = { kind: 'user' as const, id: newId<PrincipalId>(now), name: uniqueName('auditor') };
  const { record: user } = await directory.createUser({ ...principal, createdAt: now });
  await table.put({
    ...storedKey(`${id}#MEMBER`, user.id),
    v: 1,
    principal: user.id,
    kind: 'user',
    name: user.name,
    role: 'admin',
    addedAt: now,
  });
  await directory.addKey({
    id: newId(now),
    hash: hashKey(key),
    principal,
    description: 'd',
    createdAt: now,
    expiresAt: micros(0),
  });
  const appendAll = (changes: readonly Change[]) =>
    table.putMany(
      changes.map(([at, kind = 'flow.changed', actor = {}]) => {
        const by: AuditActor = { kind: 'user', id: 'u', name: 'user', keyId: 'k', ...actor };
        return itemOf(
          auditWrite(
            id,
            { at: micros(at), actor: by },
            { kind: kind as AuditKind, subject: { type: 'thing', name: String(at) } },
          ),
        );
      }),
    );
  return {
    id,
    appendAll,
    append: (...change: Change) => appendAll([change]),
    page: async (query: string) => {
      const answer = await api.call('GET', `/audit/${name}`, { key, query });
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.json as Page;
    },
    ask: async (query: string) => refusal(await api.call('GET', `/audit/${name}`, { key, query })),
  };
}
type Old = Awaited<ReturnType<typeof oldOrganization>>;

/** All pages, one after the other. */
async function pages(old: Old, query: string): Promise<Page[]> {
  const all: Page[] = [];
  let cursor = '';
  for (;;) {
    const page = await old.page(`${query}${cursor}`);
    all.push(page);
    if (page.next_cursor === null) return all;
    cursor = `&cursor=${page.next_cursor}`;
  }
}
const times = (all: readonly Page[]) => all.flatMap(({ entries }) => entries.map(({ at }) => at));

describe('GET /audit/{org}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/audit/${org}`, needs: 'admin' });

  it('lists who changed what, when and with which key, newest first', async () => {
    const acme = await newOrganization(api);
    const created = await acme.create({ name: 'robot', privilege: 'member' });
    const { id, key } = await acme.issue('robot', { description: 'for builds' });
    await acme.create({ name: 'made', privilege: 'reader' }, { key });
    await acme.patch('robot', { privilege: 'reader', description: 'x' });
    await acme.patch('robot', { description: 'y' });
    await acme.patch('robot', { description: 'y' });
    await acme.call('POST', acme.keysOf('robot', `/${id}/rotate`));
    await acme.remove('robot');
    const entries = (await acme.audit()).filter(({ kind }) => !kind.startsWith('member.'));
    expect(entries.map(({ kind, subject }) => [kind, subject.name])).toEqual([
      ['service_account.deleted', 'robot'],
      ['api_key.revoked', 'for builds'],
      ['api_key.rotated', 'for builds'],
      ['service_account.updated', 'robot'],
      ['service_account.role_changed', 'robot'],
      ['service_account.created', 'made'],
      ['api_key.issued', 'for builds'],
      ['service_account.created', 'robot'],
    ]);
    const [, , , , changed, made, issued] = entries;
    expect(changed).toMatchObject({
      before: { privilege: 'member', description: null },
      after: { privilege: 'reader', description: 'x' },
    });
    expect(made?.actor).toMatchObject({ kind: 'service-account', name: 'robot', key_id: id });
    expect(issued).toMatchObject({ subject: { type: 'api_key', id }, after: { owner: 'robot', expires_at: 0 } });
    expect(created.json).toMatchObject({ creating_user_id: issued?.actor.id });
    const shown = entries.map(({ hash: _, ...entry }) => entry);
    expect(JSON.stringify(shown)).not.toMatch(/dek_|"hash"/);
  });

  it('has no entries for refused requests', async () => {
    const acme = await newOrganization(api);
    await acme.create({ name: 'robot', privilege: 'reader' });
    const before = await acme.audit();
    await acme.create({ name: 'robot', privilege: 'reader' });
    await acme.create({ name: 'a b', privilege: 'reader' });
    await acme.put(`${acme.org}-admin`, 'reader');
    await acme.patch('robot', {});
    expect(await acme.audit()).toEqual(before);
  });

  it('pages through months without losing or repeating an entry', async () => {
    const old = await oldOrganization(micros(400 * DAY));
    const now = clock.now();
    const appended = Array.from({ length: 60 }, (_, i) => now - i * 6 * DAY - (i % 3) * DAY);
    await old.appendAll(appended.map((at) => [at]));
    const newestFirst = appended.toSorted((one, other) => other - one).map((at) => at / 1e6);
    for (const size of [1, 7, 60, 100]) {
      const all = await pages(old, `per_page=${size}`);
      expect(times(all)).toEqual(newestFirst);
      for (const { entries } of all.slice(0, -1)) expect(entries.length).toBeLessThanOrEqual(size);
    }
  });

  it('pages through a month with more entries than one read returns', async () => {
    const old = await oldOrganization(micros(DAY));
    const now = clock.now();
    await old.appendAll(
      Array.from({ length: 450 }, (_, i) => [now - i * 1000, i % 90 === 89 ? 'rare.one' : 'often.one']),
    );
    expect(times(await pages(old, 'per_page=100'))).toHaveLength(450);
    const rare = await pages(old, 'kind=rare&per_page=2');
    expect(times(rare)).toEqual([89, 179, 269, 359, 449].map((i) => toSeconds(micros(now - i * 1000))));
  });

  it('reads a limited number of entries: a page can be empty and have a next page', async () => {
    const old = await oldOrganization(micros(5 * 366 * DAY));
    const at = minus(clock.now(), 5 * 365 * DAY);
    await old.append(at);
    const first = await old.page('');
    expect(first).toEqual({ entries: [], next_cursor: expect.any(String) });
    expect(times(await pages(old, ''))).toEqual([toSeconds(at)]);
    const { aws_sequential: trips } = api.entries.findLast((entry) => 'aws_calls' in entry) as unknown as {
      aws_sequential: number;
    };
    expect(trips).toBeLessThanOrEqual(5);
  });

  it('filters by actor, by kind or its first word, and by a window with both ends included', async () => {
    const old = await oldOrganization(micros(60 * DAY));
    const now = clock.now();
    const day = (n: number) => now - n * DAY;
    await old.append(micros(day(1)), 'member.added', { id: 'u1', name: 'ann' });
    await old.append(micros(day(2)), 'member.removed', { id: 'u2', name: 'bob' });
    await old.append(micros(day(3)), 'members.other', { id: 'u1', name: 'ann' });
    await old.append(micros(day(40)), 'member.added', { id: 'u1', name: 'ann' });
    const found = async (query: string) =>
      times(await pages(old, query)).map((at) => Math.round((now / 1e6 - at) / 86_400));
    expect(await found('actor=ann')).toEqual([1, 3, 40]);
    expect(await found('actor=u2')).toEqual([2]);
    expect(await found('kind=member')).toEqual([1, 2, 40]);
    expect(await found('kind=member.added&actor=ann')).toEqual([1, 40]);
    expect(await found('kind=mem')).toEqual([]);
    const [from, to] = [toSeconds(micros(day(3))), toSeconds(micros(day(2)))];
    expect(await found(`start_ts=${from}`)).toEqual([1, 2, 3]);
    expect(await found(`end_ts=${to}`)).toEqual([2, 3, 40]);
    expect(await found(`start_ts=${from}&end_ts=${to}`)).toEqual([2, 3]);
    expect(await found(`start_ts=${from}&end_ts=${from}`)).toEqual([3]);
    expect(await found(`start_ts=${to + 0.000001}&end_ts=${to + 1}`)).toEqual([]);
    expect(await found('start_ts=0&end_ts=1')).toEqual([]);
    expect(await found('start_ts=-5&end_ts=99999999999')).toEqual([1, 2, 3, 40]);
    expect(await found('start_ts=99999999999')).toEqual([]);
  });

  it('refuses invalid parameters, field by field', async () => {
    const old = await oldOrganization(micros(DAY));
    expect(await old.ask('start_ts=2&end_ts=1')).toEqual(
      refused({ 'query.start_ts': 'Input should not be later than end_ts [input: 2]' }),
    );
    expect(await old.ask('start_ts=2&end_ts=1&per_page=0')).toEqual(
      refused({
        'query.start_ts': 'Input should not be later than end_ts [input: 2]',
        'query.per_page': 'Input should be greater than or equal to 1 [input: 0]',
      }),
    );
    expect(await old.ask('start_ts=x&per_page=0')).toEqual(
      refused({
        'query.start_ts': 'Input should be a valid number, unable to parse string as a number [input: x]',
        'query.per_page': 'Input should be greater than or equal to 1 [input: 0]',
      }),
    );
    expect(await old.ask('per_page=101')).toEqual(
      refused({ 'query.per_page': 'Input should be less than or equal to 100 [input: 101]' }),
    );
  });

  it('accepts only cursors of the same list', async () => {
    const [old, other] = [await oldOrganization(micros(DAY)), await oldOrganization(micros(DAY))];
    for (const one of [old, other]) for (let i = 1; i < 4; i += 1) await one.append(minus(clock.now(), i));
    const { next_cursor: cursor } = await old.page('per_page=1');
    expect(cursor).toEqual(expect.any(String));
    const bad = refused({ 'query.cursor': expect.stringMatching(/^Input should be the next_cursor of a page/) });
    expect(await other.ask(`cursor=${cursor}`)).toEqual(bad);
    expect(await old.ask(`cursor=${cursor}&kind=member`)).toEqual(bad);
    for (const text of ['x', 'e30', `${cursor}x`]) expect((await old.ask(`cursor=${text}`))[0]).toBe(400);
    expect(cursor).not.toContain(old.id);
  });

  it('shows the hash of each entry', async () => {
    const old = await oldOrganization(micros(DAY));
    await old.append(clock.now());
    const [appended] = (await old.page('')).entries;
    const key = auditKey(old.id, monthOf(appended?.id ?? ''), appended?.id ?? '');
    expect(appended?.hash).toBe(auditHash(old.id, AuditRecord.parse(await table.get(key))));
  });

  it('does not show an entry that was changed in the table', async () => {
    const old = await oldOrganization(micros(DAY));
    await old.append(clock.now());
    const [appended] = (await old.page('')).entries;
    const key = auditKey(old.id, monthOf(appended?.id ?? ''), appended?.id ?? '');
    await table.put({ ...(await table.get(key)), ...key, actor: { kind: 'user', id: 'x', name: 'eve', keyId: null } });
    expect((await old.page('')).entries).toEqual([expect.objectContaining({ id: appended?.id, unreadable: true })]);
  });

  it('shows a marked placeholder for an entry that cannot be read', async () => {
    const old = await oldOrganization(micros(DAY));
    const id = firstIdAt(clock.now());
    await table.put({ ...auditKey(old.id, monthOf(id), id), v: 1 });
    const { entries } = await old.page('actor=ann');
    expect(entries).toEqual([expect.objectContaining({ id, at: toSeconds(timeOfId(id)), unreadable: true })]);
  });
});
