import { expect, test } from 'vitest';
import { sbomDifferences } from '#shared/evidence/rules/sbom/differences.ts';

const subject = { name: 'shop', version: '1.2', purl: null, sha256: 'ab'.repeat(32) };
const found = { format: 'spdx-2.3', subject, package_count: 2 };
const stated = { format: 'spdx-2.3', document: { subject, package_count: 2 } };

test('there are none if the same was stated, in other letters of a digest', () => {
  expect(sbomDifferences(stated, found)).toEqual([]);
  const large = { ...subject, sha256: 'AB'.repeat(32), name: ' shop' };
  expect(sbomDifferences({ ...stated, document: { ...stated.document, subject: large } }, found)).toEqual([]);
});

test('what was not stated is no difference, but null is a statement', () => {
  expect(sbomDifferences({}, found)).toEqual([]);
  expect(sbomDifferences({ document: {} }, found)).toEqual([]);
  expect(sbomDifferences({ document: { subject: null, package_count: null } }, found)).toEqual([
    { field: 'package_count', stated: null, found: 2 },
    { field: 'subject', stated: null, found: 'shop' },
  ]);
});

test('each fact that differs is named with both values', () => {
  const other = { format: 'cyclonedx-1.6', document: { subject: { name: 'web', version: null }, package_count: 3 } };
  expect(sbomDifferences(other, found)).toEqual([
    { field: 'format', stated: 'cyclonedx-1.6', found: 'spdx-2.3' },
    { field: 'package_count', stated: 3, found: 2 },
    { field: 'subject.name', stated: 'web', found: 'shop' },
    { field: 'subject.version', stated: null, found: '1.2' },
  ]);
  expect(sbomDifferences(stated, { ...found, subject: null })).toEqual([
    { field: 'subject', stated: 'shop', found: null },
  ]);
});
