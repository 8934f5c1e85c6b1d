import { describe, expect, it } from 'vitest';
import { AuditRecord } from '#shared/organizations/records/audit.ts';
import type { End, OpenEnd } from '#shared/restore/report.ts';
import type { Item } from '#shared/table/table.ts';
import { faultyTable } from '#test/support/table/faults.ts';
import { anOrganization, itemsOf, twoTables } from './two-tables.ts';

const tables = await twoTables();
const { restored, restore, reapply, operate } = tables;
const { table: to } = restored.services;

const acme = await anOrganization(tables);
for (const name of ['gone', 'lower', 'keys']) await acme.create({ name, privilege: 'member' });
await acme.issue('gone');
const key = await acme.issue('keys');
await acme.send('PUT', '/trusts/ORG/release', {
  json: { service_account: 'keys', preset: 'github', audience: 'x', claims: { repository_id: '74' } },
});
await acme.send('PUT', '/flows/ORG', { json: { name: 'web', description: 'a secret' } });
await operate({ command: 'set-feature', organization: acme.org, feature: 'public_log', enabled: true });
const since = await restore();
const before = await itemsOf(to);
await acme.remove('gone');
await acme.patch('lower', { privilege: 'reader' });
await acme.send('DELETE', acme.keysOf('keys', `/${key.id}`), { text: 'null' });
await acme.send('DELETE', '/trusts/ORG/release', { text: 'null' });
await acme.dismiss(`${acme.org}-member`);
await operate({ command: 'set-feature', organization: acme.org, feature: 'public_log', enabled: false });
await operate({ command: 'identify-user', user: `${acme.org}-reader`, email: 'ann@example.com', end_keys: true });
await operate({ command: 'erase-body', organization: acme.org, kind: 'flow', flow: 'web', reason: 'a secret' });

/** What differs between two runs that do the same: ids and salts of new audit entries, and times of erasures of objects. */
const stateOf = (items: readonly Item[]) =>
  items
    .filter(({ pk }) => !pk.includes('#AUDIT#'))
    .map((item) => JSON.stringify(item, (name, value) => (name === 'salt' || name === 'digest' ? '' : value)));
const auditOf = (items: readonly Item[]) =>
  items
    .filter(({ pk }) => pk.includes('#AUDIT#'))
    .map(({ kind, at }) => `${kind} ${at}`)
    .toSorted();

async function reset(): Promise<void> {
  const kept = new Set(before.map(({ pk, sk }) => `${pk}\n${sk}`));
  for (const { pk, sk } of await itemsOf(to)) if (!kept.has(`${pk}\n${sk}`)) await to.write({ remove: { pk, sk } });
  await to.putMany(before);
}

/** Ends as a report names them, apart from the order. */
const names = (ends: readonly (End | OpenEnd)[]) =>
  [...new Set(ends.map(({ kind, name, organization }) => `${organization} ${kind} ${name}`))].toSorted();

class Killed extends Error {}

describe('reapplyEnds', () => {
  it('ends the same if it is repeated', async () => {
    await reset();
    const first = await reapply(since);
    expect(first.applied.length).toBeGreaterThan(7);
    const once = await itemsOf(to);
    const second = await reapply(since);
    expect(second.applied).toEqual([]);
    expect(await itemsOf(to)).toEqual(once);
  });

  it('ends the same if it is killed behind each of its writes and started again', async () => {
    await reset();
    const whole = await reapply(since);
    const expected = await itemsOf(to);
    let kills = 0;
    for (let writes = 0; ; writes += 1) {
      await reset();
      const noted: (End | OpenEnd)[] = [];
      const note = (end: End | OpenEnd) => void noted.push(end);
      let left = writes;
      const dying = faultyTable(to, ({ command }) => {
        if (!/^(TransactWrite|Put|Update|BatchWrite)$/.test(command)) return undefined;
        left -= 1;
        return left < 0 ? 'timeout-before' : undefined;
      });
      const isDone = await reapply(since, { to: dying, note }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Error && error.name === 'TimeoutError') return false;
          throw new Killed('It ends by the injected fault only', { cause: error });
        },
      );
      if (!isDone) await reapply(since, { note });
      const now = await itemsOf(to);
      expect(stateOf(now), `killed behind ${writes} writes`).toEqual(stateOf(expected));
      expect(auditOf(now)).toEqual(auditOf(expected));
      expect(names(noted)).toEqual(names([...whole.applied, ...whole.open]));
      if (isDone) break;
      kills += 1;
    }
    expect(kills).toBeGreaterThan(8);
  });

  it('applies what an export says if the old table cannot be read, and names what nothing says', async () => {
    await reset();
    const { table: from } = tables.old.services;
    const audit = (await itemsOf(from)).filter(({ pk }) => pk.includes('#AUDIT#'));
    const entries = audit.map((item) => AuditRecord.parse(item));
    const { applied, unknown } = await reapply(since, { from: undefined, exported: async () => entries });
    expect(applied.map(({ kind }) => kind).toSorted()).toEqual([
      'api_key.revoked',
      // The flow, and the entry of its creation, which has the description too.
      'evidence.erased',
      'evidence.erased',
      'member.removed',
      'organization.features_changed',
      'service_account.deleted',
      'service_account.role_changed',
      'trust.deleted',
    ]);
    expect([await acme.statusOf(key.key), await acme.statusOf(acme.keys.member)]).toEqual([401, 403]);
    expect(unknown.join('\n')).toContain('Repeat identify-user');
  });

  it('leaves everything as it is, and says so, if neither the old table nor an export can be read', async () => {
    await reset();
    const { applied, open } = await reapply(since, { from: undefined });
    expect(applied).toEqual([]);
    expect(open).toEqual([
      expect.objectContaining({ organization: acme.org, reason: expect.stringContaining('Look at members, keys') }),
    ]);
  });
});
