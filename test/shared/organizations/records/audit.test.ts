import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type OrganizationId, type PrincipalId, timeOfId } from '#shared/base/ids.ts';
import { AuditRecord, auditOf, auditWrite, OPERATOR } from '#shared/organizations/records/audit.ts';
import { auditEntry, auditHash } from '#shared/organizations/records/audit-entry.ts';
import { auditText } from '#shared/organizations/rules/audit-text.ts';
import type { Item } from '#shared/table/table.ts';
import { testId } from '#test/support/ids.ts';
import { itemSize, writeUnits } from '#test/support/unit-costs.ts';

const AT = 1_795_000_000_123_456;
const subject = { type: 'thing', name: 'x' };
const caller = { kind: 'user' as const, id: testId<PrincipalId>('u'), name: 'ann', keyId: 'k' };
const ORG = testId<OrganizationId>('o');
const org = { id: ORG, name: 'acme', kind: 'shared' as const, features: [] };

/** The item that a write puts. */
function itemOf(write: ReturnType<typeof auditWrite>): AuditRecord & { pk: string; sk: string } {
  if (!('put' in write)) throw new Error('Entries are put');
  const { pk, sk } = write.put;
  return { pk, sk, ...AuditRecord.parse(write.put) };
}
const entryWith = (after: Record<string, unknown>) =>
  itemOf(auditWrite(testId('o'), { at: AT, actor: OPERATOR }, { kind: 'thing.changed', subject, after }));

test('an entry holds the actor, the time and the key, and lies in the partition of its month', () => {
  const request = { org, caller, receivedAt: AT };
  const entry = itemOf(auditOf(request, { kind: 'thing.changed', subject: { ...subject, id: 's' }, after: { a: 1 } }));
  expect(entry).toMatchObject({
    pk: 'o#AUDIT#202611',
    sk: entry.id,
    at: AT,
    kind: 'thing.changed',
    actor: { kind: 'user', id: 'u', name: 'ann', keyId: 'k' },
    subject: { type: 'thing', id: 's', name: 'x' },
    before: null,
    after: { a: 1 },
  });
  expect(timeOfId(entry.id)).toBe(Math.floor(AT / 1000) * 1000);
});

test('an entry never overwrites another entry', () => {
  const write = auditWrite(testId('o'), { at: AT, actor: OPERATOR }, { kind: 'thing.changed', subject });
  expect(write.ConditionExpression).toBe('attribute_not_exists(pk)');
  expect(write.refused).toBeUndefined();
});

test('undefined values are left out, long values are cut, and deep values become …', () => {
  const { after } = entryWith({
    gone: undefined,
    nothing: null,
    text: 'x'.repeat(300),
    yes: true,
    list: Array.from({ length: 60 }, (_, i) => i),
    deep: { a: { b: { c: 1 } } },
  });
  expect(after).toEqual({
    nothing: null,
    text: `${'x'.repeat(256)}…`,
    yes: true,
    list: Array.from({ length: 50 }, (_, i) => i),
    deep: { a: { b: '…' } },
  });
});

test('the entry of every change can be read back and is a leaf of the log', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (after) => {
      expect(auditHash(ORG, entryWith(after))).toMatch(/^[a-f0-9]{64}$/);
    }),
  );
});

describe('the entry of the log', () => {
  const SALT = Buffer.from(Array.from({ length: 32 }, (_, i) => i));
  const id = '019ba3c5-8f77-4240-0011-223344556677';
  const record: AuditRecord = {
    v: 1,
    id,
    at: AT,
    actor: { kind: 'user', id: 'u', name: 'ann', keyId: 'k' },
    kind: 'member.added',
    subject: { type: 'user', id: 's', name: 'bob' },
    before: null,
    after: { role: 'reader' },
    salt: SALT,
  };
  const text =
    '{"actor":{"id":"u","key_id":"k","kind":"user","name":"ann"},"after":{"role":"reader"},"before":null,"subject":{"id":"s","name":"bob","type":"user"}}';

  test('commits to who changed what, and shows id, kind and time', () => {
    expect(auditText(record)).toBe(text);
    const pledge = createHmac('sha256', SALT).update(text).digest('hex');
    const header = `{"at":${AT},"commitments":{"entry":"${pledge}"},"kind":"member.added","number":0,"org":"o","subject":{"entry":"${id}"}}`;
    const start = Buffer.concat([Buffer.from('delivery-evidence/audit\0\x02'), Buffer.alloc(32)]);
    const entry = Buffer.concat([start, Buffer.from(header)]);
    expect(auditEntry(ORG, record)).toEqual(entry);
    expect(auditHash(ORG, record)).toBe(createHash('sha256').update(entry).digest('hex'));
  });

  test('stays the same after the erasure of the values', () => {
    const { salt, ...rest } = record;
    const pledge = createHmac('sha256', SALT).update(text).digest();
    const erased: AuditRecord = { ...rest, after: null, pledge, erased: { at: AT, reason: 'r' } };
    expect(auditHash(ORG, erased)).toBe(auditHash(ORG, record));
    expect(salt).toBe(SALT);
  });

  test('does not exist without a salt', () => {
    const { salt: _, ...rest } = record;
    expect(auditEntry(ORG, rest)).toBeNull();
    expect(auditHash(ORG, rest)).toBeNull();
  });

  test('cuts no character in two, which would have no canonical form', () => {
    const cut = entryWith({ text: `${'x'.repeat(255)}\u{1F600}` });
    expect(auditText(cut)).toContain(`${'x'.repeat(255)}…`);
  });
});

test.each([
  ['a membership', { subject: { type: 'user', id: 's'.repeat(32), name: 'bob' }, after: { role: 'reader' } }],
  [
    'a flow with a long description',
    {
      subject: { type: 'flow', id: 's'.repeat(32), name: 'web' },
      after: { description: 'x'.repeat(256), visibility: 'private', template: 'a'.repeat(64) },
    },
  ],
])('the salt costs no write unit in the entry of %s', (_, change) => {
  const write = auditOf(
    { org, caller: { ...caller, id: testId('u'.repeat(32)), keyId: 'k'.repeat(32) }, receivedAt: AT },
    { kind: 'thing.changed', ...change },
  );
  const { salt, ...without } = 'put' in write ? (write.put as Item & { salt: Uint8Array }) : ({} as never);
  expect(salt).toHaveLength(32);
  expect(writeUnits(itemSize({ ...without, salt }))).toBe(writeUnits(itemSize(without)));
});
