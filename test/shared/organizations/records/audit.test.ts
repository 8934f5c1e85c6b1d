import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type OrganizationId, type PrincipalId, timeOfId } from '#shared/base/ids.ts';
import { CHAIN_VERSION } from '#shared/base/proofs/hash-chain.ts';
import { micros } from '#shared/base/time.ts';
import {
  AuditRecord,
  auditEntry,
  auditHash,
  auditOf,
  auditWrite,
  OPERATOR,
} from '#shared/organizations/records/audit.ts';
import { entryText, valuesText } from '#shared/organizations/rules/audit-text.ts';
import { itemSize, writeUnits } from '#shared/table/item-size.ts';
import { testId } from '#test/support/ids.ts';

const AT = micros(1_795_000_000_123_456);
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
  itemOf(auditWrite(testId('o'), { at: AT, actor: OPERATOR }, { kind: 'flow.changed', subject, after }));

test('an entry holds the actor, the time and the key, and lies in the partition of its month', () => {
  const request = { org, caller, receivedAt: AT };
  const entry = itemOf(auditOf(request, { kind: 'flow.changed', subject: { ...subject, id: 's' }, after: { a: 1 } }));
  expect(entry).toMatchObject({
    pk: 'o#AUDIT#202611',
    sk: entry.id,
    at: AT,
    kind: 'flow.changed',
    actor: { kind: 'user', id: 'u', name: 'ann', keyId: 'k' },
    subject: { type: 'thing', id: 's', name: 'x' },
    before: null,
    after: { a: 1 },
  });
  expect(timeOfId(entry.id)).toBe(Math.floor(AT / 1000) * 1000);
});

test('an entry never overwrites another entry', () => {
  const write = auditWrite(testId('o'), { at: AT, actor: OPERATOR }, { kind: 'flow.changed', subject });
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
  const SALTS = [0, 32].map((from) => Buffer.from(Array.from({ length: 32 }, (_, i) => from + i)));
  const [SALT = Buffer.of(), OTHER = Buffer.of()] = SALTS;
  const id = '019ba3c5-8f77-4240-0011-223344556677';
  const covers = [{ family: 'members/member', key: 's', digest: 'd'.repeat(64) }];
  const entry =
    '{"actor":{"id":"u","key_id":"k","kind":"user","name":"ann"},"covers":[{"digest":"dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd","family":"members/member","key":"s"}],"subject":{"id":"s","name":"bob","type":"user"}}';
  const values = '{"after":{"role":"reader"},"before":null}';
  const pledgeOf = (salt: Uint8Array, text: string) => createHmac('sha256', salt).update(text).digest();
  const stored = {
    v: 1,
    id,
    at: AT,
    actor: { kind: 'user', id: 'u', name: 'ann', keyId: 'k' },
    kind: 'member.added',
    subject: { type: 'user', id: 's', name: 'bob' },
    covers,
    before: null,
    after: '{"role":"reader"}',
    salts: { entry: SALT, values: OTHER },
    pledges: { entry: pledgeOf(SALT, entry), values: pledgeOf(OTHER, values) },
  };
  const record = AuditRecord.parse(stored);
  const erased = {
    ...{ ...stored, salts: { entry: SALT }, after: null },
    erased: { at: AT, reason: 'r' },
  };

  test('commits to who changed what, and to the values apart, and shows id, kind and time', () => {
    expect(entryText(record)).toBe(entry);
    expect(valuesText(record)).toBe(values);
    const [one, other] = [pledgeOf(SALT, entry), pledgeOf(OTHER, values)].map((pledge) => pledge.toString('hex'));
    const header = `{"at":${AT},"commitments":{"entry":"${one}","values":"${other}"},"kind":"member.added","number":0,"org":"o","subject":{"entry":"${id}"}}`;
    const start = Buffer.concat([
      Buffer.from('delivery-evidence/audit\0'),
      Uint8Array.of(CHAIN_VERSION),
      Buffer.alloc(32),
    ]);
    const bytes = Buffer.concat([start, Buffer.from(header)]);
    expect(auditEntry(ORG, record)).toEqual(bytes);
    expect(auditHash(ORG, record)).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  test('stays the same after the erasure of the values', () => {
    expect(auditHash(ORG, AuditRecord.parse(erased))).toBe(auditHash(ORG, record));
  });

  test.each([
    ['another actor', { ...stored, actor: { ...stored.actor, name: 'eve' } }, 'entry'],
    ['another subject', { ...stored, subject: { ...stored.subject, id: 't' } }, 'entry'],
    ['another cover', { ...stored, covers: [] }, 'entry'],
    ['a removal that was added', { ...stored, removed: { a: ['values'] } }, 'entry'],
    ['another value', { ...stored, after: '{"role":"admin"}' }, 'values'],
    ['no salt of its values', { ...stored, salts: { entry: SALT } }, 'values'],
    ['no salt of its values and no mark of an erasure', { ...erased, erased: undefined }, 'values'],
    ['values beside an erasure', { ...erased, after: '{}' }, 'values'],
  ])('an entry of the log with %s is not read', (_, changed, name) => {
    const { error } = AuditRecord.safeParse(changed);
    expect(error?.issues.map(({ message }) => message)).toEqual([
      `The audit entry ${id} does not have the text under its commitment '${name}'`,
    ]);
  });

  test('cuts no character in two, which would have no canonical form', () => {
    const cut = entryWith({ text: `${'x'.repeat(255)}\u{1F600}` });
    expect(valuesText(cut)).toContain(`${'x'.repeat(255)}…`);
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
])('the entry of %s takes one write unit', (_, change) => {
  const write = auditOf(
    { org, caller: { ...caller, id: testId('u'.repeat(32)), keyId: 'k'.repeat(32) }, receivedAt: AT },
    { kind: 'flow.changed', ...change },
  );
  expect(writeUnits(itemSize('put' in write ? write.put : ({} as never)))).toBe(1);
});
