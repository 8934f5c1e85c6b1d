import { expect, test } from 'vitest';
import { micros } from '#shared/base/time.ts';
import { naming } from '#shared/exports/erasure/erase-subject.ts';
import { auditWrite, OPERATOR } from '#shared/organizations/records/audit.ts';
import { itemSize } from '#shared/table/item-size.ts';
import { testId } from '#test/support/ids.ts';

const CHANGE = {
  kind: 'evidence.erased',
  subject: { type: 'trail', id: testId('flow'), name: 'trail run' },
  after: { reason: 'a secret' },
} as const;
const hashes = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [String(i).padStart(64, '0'), ['details', 'fields']]));
const MEGABYTE = 1024 * 1024;
/** Writes of one transaction of an erasure. */
const AT_ONCE = 90;

test('an erasure that opens no commitment has one entry', () => {
  expect(naming(CHANGE, { removed: {} })).toEqual([{ ...CHANGE, covers: [] }]);
});

test('the entries of a large erasure name every commitment once, and fit into a transaction', () => {
  const removed = hashes(1001);
  const covers = [{ family: 'flows/facts', key: 'f', digest: 'd' }];
  const entries = naming(CHANGE, { removed, covers });
  expect(entries.map((entry) => Object.keys(entry.removed ?? {}).length)).toEqual([400, 400, 201]);
  expect(Object.assign({}, ...entries.map((entry) => entry.removed))).toEqual(removed);
  expect(entries.map((entry) => entry.covers)).toEqual([covers, undefined, undefined]);
  const [write] = entries.map((entry) => auditWrite(testId('acme'), { at: micros(1), actor: OPERATOR }, entry));
  if (!write || !('put' in write)) throw new Error('Entries are put');
  expect(itemSize(write.put) * AT_ONCE).toBeLessThan(4 * MEGABYTE);
});
