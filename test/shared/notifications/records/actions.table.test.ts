import { beforeAll, describe, expect, test } from 'vitest';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import { fromMillis, minus, plus } from '#shared/base/time.ts';
import type { GivenAction } from '#shared/notifications/records/action-writes.ts';
import { findAction, findActionByName, listActions, readActions } from '#shared/notifications/records/actions.ts';
import { actionPartition, notifiedOrganizationKey } from '#shared/notifications/records/keys.ts';
import type { ActionRecord } from '#shared/notifications/rules/records.ts';
import type { Table } from '#shared/table/table.ts';
import { changeAction, createAction, deleteAction } from '#test/support/records/notified.ts';
import { testTable } from '#test/support/table.ts';

const START = fromMillis(Date.UTC(2026, 5, 15, 12));
const SECRET = `whsec_${Buffer.alloc(24).toString('base64')}`;

let table: Table;
beforeAll(async () => {
  table = await testTable();
});
let organizations = 0;
const anOrganization = (): OrganizationId => {
  organizations += 1;
  return newId(plus(START, organizations));
};

const given = (name: string, overrides: Partial<GivenAction> = {}): GivenAction => ({
  name,
  triggers: ['ON_ATTESTATION'],
  flows: [],
  environments: [],
  targets: [{ key: 'k', type: 'EMAIL', emails: ['ada@example.com'] }],
  ...overrides,
});
const create = (org: OrganizationId, name: string, at = START, kind: ActionRecord['kind'] = 'flow') =>
  retrying(() => createAction(table, org, kind, given(name), SECRET, { at, by: 'ada' }));

async function find(org: OrganizationId, number: number): Promise<ActionRecord> {
  const action = await findAction(table, org, number);
  if (!action) throw new Error(`No action ${number}`);
  return action;
}

describe('actions', () => {
  test('keep every version, the deletion as the last one', async () => {
    const org = anOrganization();
    await create(org, 'a');
    await changeAction(table, org, await find(org, 1), given('a', { triggers: [] }), plus(START, 10));
    await create(org, 'b', plus(START, 20));
    await deleteAction(table, org, await find(org, 1), plus(START, 30));
    const actions = await readActions(table, org);
    expect(actions.map(({ action }) => [action.number, action.version, action.deleted])).toEqual([
      [1, 3, true],
      [2, 1, false],
    ]);
    const [{ versions }] = actions as [(typeof actions)[number]];
    expect(versions.map(({ version, modified, triggers }) => [version, modified - START, triggers])).toEqual([
      [1, 0, ['ON_ATTESTATION']],
      [2, 10, []],
      [3, 30, []],
    ]);
    expect(await listActions(table, org)).toMatchObject([{ number: 2 }]);
    expect(await findAction(table, org, 1)).toBeNull();
    expect(await findActionByName(table, org, 'flow', 'a')).toBeNull();
  });

  test('have versions whose times only grow, also if the clock does not', async () => {
    const org = anOrganization();
    await create(org, 'a');
    await changeAction(table, org, await find(org, 1), given('a'), minus(START, 50));
    expect((await find(org, 1)).modified).toBe(START + 1);
  });

  test('are numbered without gaps under contention, over both kinds', async () => {
    const org = anOrganization();
    await Promise.all(Array.from({ length: 12 }, (_, i) => create(org, `a${i}`, START, i % 2 === 0 ? 'flow' : 'env')));
    const numbers = (await readActions(table, org)).map(({ action }) => action.number);
    expect(numbers).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
  });

  test('let one of two writers of the same version win', async () => {
    const org = anOrganization();
    await create(org, 'a');
    const before = await find(org, 1);
    const outcomes = await Promise.all([
      changeAction(table, org, before, given('a', { triggers: ['ON_RELEASE'] }), plus(START, 1)),
      changeAction(table, org, before, given('a', { triggers: ['ON_APPROVAL'] }), plus(START, 2)),
      deleteAction(table, org, before, plus(START, 3)),
    ]);
    expect(outcomes.toSorted()).toEqual(['again', 'again', 'done']);
  });

  test('can get another free name, which frees the old name, but no taken one', async () => {
    const org = anOrganization();
    await create(org, 'a');
    await create(org, 'b');
    expect(await changeAction(table, org, await find(org, 1), given('c'), plus(START, 1))).toBe('done');
    expect(await findActionByName(table, org, 'flow', 'a')).toBeNull();
    expect(await findActionByName(table, org, 'flow', 'c')).toMatchObject({ number: 1, version: 2 });
    expect(await changeAction(table, org, await find(org, 1), given('b'), plus(START, 2))).toBe('again');
    expect(await findActionByName(table, org, 'flow', 'b')).toMatchObject({ number: 2 });
  });

  test('list their organization among the notified ones, since the first action', async () => {
    const org = anOrganization();
    expect(await table.get(notifiedOrganizationKey(org))).toBeUndefined();
    await create(org, 'a', START);
    await create(org, 'b', plus(START, 100));
    expect(await table.get(notifiedOrganizationKey(org))).toMatchObject({ since: START });
  });

  test('are not found in another organization or under an unknown number', async () => {
    const org = anOrganization();
    await create(org, 'a');
    for (const number of [0, -1, 2, 1.5, Number.NaN, 10_000_000_001, Number.MAX_VALUE]) {
      expect(await findAction(table, org, number)).toBeNull();
    }
    expect(await findAction(table, anOrganization(), 1)).toBeNull();
    expect(await table.query({ pk: actionPartition(anOrganization()) })).toEqual([]);
  });
});
