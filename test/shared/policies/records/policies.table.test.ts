import { beforeAll, describe, expect, inject, test } from 'vitest';
import { localObjects } from '#infra/local/clients.ts';
import { type Id, newId, type OrganizationId, type PolicyId } from '#shared/base/ids.ts';
import type { PolicyName } from '#shared/base/names.ts';
import { fromMillis, plus } from '#shared/base/time.ts';
import { prepareBody } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { policyVersionKey } from '#shared/policies/records/keys.ts';
import { findPolicies, findPolicy, readPolicyContent, readPolicyHeads } from '#shared/policies/records/policies.ts';
import { policyWrites } from '#shared/policies/records/policy-writes.ts';
import { policyDump } from '#shared/policies/rules/forms.ts';
import { readStoredPolicy } from '#shared/policies/rules/policy.ts';
import type { Table } from '#shared/table/table.ts';
import { testName } from '#test/support/ids.ts';
import { tableAround } from '#test/support/table/faults.ts';
import { onlyLocal, testTable } from '#test/support/table.ts';

const START = fromMillis(Date.UTC(2026, 5, 15, 12));
const policyText = (required: boolean) =>
  `_schema: https://a.example/v1\nartifacts: {provenance: {required: ${required}}}\n`;

let table: Table;
let objects: Objects;
beforeAll(async () => {
  table = await testTable();
  objects = localObjects(onlyLocal(inject('s3')));
});

let made = 0;
const anId = <Kind extends Id>(): Kind => {
  made += 1;
  return newId(plus(START, made));
};

const aVersion = (org: OrganizationId, policy: PolicyId, text: string) => ({
  body: prepareBody(objects, org, text, `policy:${policy}`).body,
  comment: '',
  at: START,
  by: 'ada',
  controls: [],
});

async function aPolicy(org: OrganizationId, name: string, text = policyText(true)): Promise<PolicyId> {
  const id = anId<PolicyId>();
  const head = {
    id,
    name: testName<PolicyName>(name),
    description: '',
    created: START,
    by: 'ada',
    version: 1,
    digest: '',
    rev: 1,
  };
  const outcome = await table.transact(policyWrites(org, null, head, aVersion(org, id, text)).writes);
  if (outcome !== 'done') throw new Error(`The policy was not made: ${outcome}`);
  return id;
}

/** The same table with a counter of its reads. */
function counted(): { table: Table; reads: () => number } {
  let reads = 0;
  const around = tableAround(table, (_, send) => {
    reads += 1;
    return send();
  });
  return { table: around, reads: () => reads };
}

describe('policies', () => {
  test('are found by name, and unknown names are left out', async () => {
    const org = anId<OrganizationId>();
    const [a, b] = [await aPolicy(org, 'a'), await aPolicy(org, 'b')];
    const found = await findPolicies(table, org, ['b', 'nope', 'a', 'a#b', 'b'].map(testName<PolicyName>));
    expect([...found].map(([name, { id }]) => [name, id]).toSorted()).toEqual([
      ['a', a],
      ['b', b],
    ]);
    expect(await findPolicy(table, org, testName('nope'))).toBeNull();
    expect(await findPolicy(table, anId(), testName('a'))).toBeNull();
    expect((await readPolicyHeads(table, org, [a, anId()])).get(a)).toMatchObject({ name: 'a', version: 1 });
  });

  test('are found with one read after a name is known, and under a name that was unknown before', async () => {
    const org = anId<OrganizationId>();
    const { table: around, reads } = counted();
    expect(await findPolicy(around, org, testName('later'))).toBeNull();
    const id = await aPolicy(org, 'later');
    expect((await findPolicy(around, org, testName('later')))?.id).toBe(id);
    const before = reads();
    expect((await findPolicy(around, org, testName('later')))?.id).toBe(id);
    expect(reads() - before).toBe(1);
  });

  test('have a content per version that is read once', async () => {
    const org = anId<OrganizationId>();
    const id = await aPolicy(org, 'a', policyText(true));
    const head = await findPolicy(table, org, testName('a'));
    if (!head) throw new Error('The policy is not there');
    const changed = { ...head, version: 2, rev: 2 };
    const { writes } = policyWrites(org, head, changed, aVersion(org, id, policyText(false)));
    expect(await table.transact(writes)).toBe('done');
    const { table: around, reads } = counted();
    for (const _ of [1, 2]) {
      for (const [number, required] of [[1, true] as const, [2, false] as const]) {
        const content = await readPolicyContent(around, objects, org, id, number);
        expect(policyDump(content)).toEqual(policyDump(readStoredPolicy(policyText(required))));
      }
    }
    expect(reads()).toBe(2);
  });

  test('refuse a change of a head that another writer has changed since', async () => {
    const org = anId<OrganizationId>();
    await aPolicy(org, 'a');
    const head = await findPolicy(table, org, testName('a'));
    if (!head) throw new Error('The policy is not there');
    const change = (description: string) =>
      table.transact(policyWrites(org, head, { ...head, description, rev: 2 }, undefined).writes);
    expect([await change('one'), await change('two')]).toEqual(['done', 'again']);
    expect((await findPolicy(table, org, testName('a')))?.description).toBe('one');
  });

  test('cannot be evaluated without the text of the version', async () => {
    const org = anId<OrganizationId>();
    const id = await aPolicy(org, 'a');
    await expect(readPolicyContent(table, objects, org, id, 2)).rejects.toThrow('has no version 2');
    const item = await table.get(policyVersionKey(org, id, 1));
    if (!item) throw new Error('The version is not there');
    await table.put({ ...item, body: { ...(item['body'] as object), store: 'erased' } });
    await expect(readPolicyContent(table, objects, org, id, 1)).rejects.toThrow('was erased');
  });
});
