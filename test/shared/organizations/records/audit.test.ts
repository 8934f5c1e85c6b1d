import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type OrganizationId, type PrincipalId, timeOfId } from '#shared/base/ids.ts';
import { AuditRecord, auditOf, auditWrite, OPERATOR } from '#shared/organizations/records/audit.ts';
import { testId } from '#test/support/ids.ts';

const AT = 1_795_000_000_123_456;
const subject = { type: 'thing', name: 'x' };
const caller = { kind: 'user' as const, id: testId<PrincipalId>('u'), name: 'ann', keyId: 'k' };
const org = { id: testId<OrganizationId>('o'), name: 'acme', kind: 'shared' as const, features: [] };

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

test('the entry of every change can be read back', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (after) => {
      expect(() => entryWith(after)).not.toThrow();
    }),
  );
});
