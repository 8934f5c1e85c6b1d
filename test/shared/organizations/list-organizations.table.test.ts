import { beforeAll, describe, expect, it } from 'vitest';
import { runOperator } from '#functions/operator/run-operator.ts';
import { OPERATOR_USES } from '#functions/operator/uses.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { listOrganizations } from '#shared/organizations/list-organizations.ts';
import { organizationKey } from '#shared/organizations/records/keys.ts';
import type { Table } from '#shared/table/table.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { operatorServices } from '#test/support/log/log.ts';
import { testTable } from '#test/support/table.ts';

let table: Table;
const run = (fields: Record<string, unknown>) =>
  heldTo('operator', OPERATOR_USES, () => runOperator(operatorServices(table), fields));

beforeAll(async () => {
  table = await testTable();
  await run({ command: 'create-organization', name: 'first', features: ['controls'] });
  await run({ command: 'create-user', name: 'ann' });
  await run({ command: 'create-organization', name: 'ann', personal: true });
  await run({ command: 'create-organization', name: 'third' });
});

const list = async (after?: string) => {
  const answer = await run({ command: 'list-organizations', ...(after !== undefined && { after }) });
  return answer as { ok: boolean; message: string; organizations: { id: string; name: string }[]; next: string | null };
};

describe('the command list-organizations', () => {
  it('lists every organization with name, id, kind and features, the oldest first', async () => {
    expect(await list()).toEqual({
      ok: true,
      message: '3 organizations',
      organizations: [
        { name: 'first', id: expect.any(String), kind: 'shared', features: ['controls'] },
        { name: 'ann', id: expect.any(String), kind: 'personal', features: [] },
        { name: 'third', id: expect.any(String), kind: 'shared', features: [] },
      ],
      next: null,
    });
  });

  it('lists the organizations behind the one that is given, and refuses a text that is no id', async () => {
    const [first] = (await list()).organizations;
    expect((await list(first?.id)).organizations.map(({ name }) => name)).toEqual(['ann', 'third']);
    expect(await list('first')).toEqual({
      ok: false,
      message: "after: 'first' is no id of an organization. Give the id in 'next' of the answer before",
    });
  });

  it('lists an organization whose record is gone without kind and features', async () => {
    const [kept] = await table.query({ pk: organizationKey('third').pk });
    await table.write({ remove: organizationKey('third') });
    expect((await list()).organizations.at(-1)).toMatchObject({ name: 'third', kind: null, features: null });
    if (kept) await table.put(kept);
  });
});

describe('listOrganizations', () => {
  it('returns pages that together name every organization once', async () => {
    const names: string[] = [];
    let after: OrganizationId | undefined;
    for (let pages = 1; ; pages += 1) {
      const { organizations, next } = await listOrganizations({ table }, { after, limit: 2 });
      names.push(...organizations.map(({ name }) => name));
      expect(next === null).toBe(pages === 2);
      if (next === null) break;
      after = next;
    }
    expect(names).toEqual(['first', 'ann', 'third']);
  });
});
