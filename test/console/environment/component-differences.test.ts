import { expect, it } from 'vitest';
import { differencesSentence, kindOfDifference, versionsOf } from '#console/environment/model/component-differences.ts';

const side = (why: string | null = null) => ({ fingerprint: 'f'.repeat(64), not_known: why, sboms: [] });

it('says what differs between the components of two artifacts, or why nobody knows', () => {
  const known = { from: side(), to: side() };
  const counts = { added: 1, removed: 0, changed: 2, same: 40 };
  expect(differencesSentence({ ...known, counts })).toBe('3 packages of 43 differ: 2 changed, 1 added, 40 the same.');
  expect(differencesSentence({ ...known, counts: { added: 0, removed: 0, changed: 0, same: 1 } })).toBe(
    'Both hold the same 1 package.',
  );
  expect(
    differencesSentence({ from: side('Its SBOM was erased'), to: side('No SBOM of it was reported'), counts: null }),
  ).toBe('Nobody can compare the components. before: Its SBOM was erased; after: No SBOM of it was reported.');
});

it('says of a package which versions it had and has', () => {
  expect([versionsOf([]), versionsOf(['1.0', null])]).toEqual(['–', '1.0, no version']);
  expect(kindOfDifference({ kind: 'changed', direction: 'newer' })).toBe('newer');
  expect(kindOfDifference({ kind: 'changed', direction: null })).toBe('changed');
  expect(kindOfDifference({ kind: 'removed', direction: null })).toBe('removed');
});
