import { expect, test } from 'vitest';
import { sbomView } from '#console/trail/attestation/model/sbom.ts';
import type { Attestation } from '#console/trail/operations.ts';

const view = (sbom: unknown, type = 'sbom') =>
  sbomView({ attestation_type: type, sbom } as Pick<Attestation, 'attestation_type'> as Attestation);

test('shows what was found, and each difference as a sentence', () => {
  const subject = { name: 'shop', version: '1.2', purl: 'pkg:npm/shop@1.2', sha256: null };
  const differences = [
    { field: 'package_count', stated: 3, found: 2 },
    { field: 'subject.purl', stated: null, found: 'pkg:npm/shop@1.2' },
  ];
  expect(view({ read: { format: 'spdx-2.3', package_count: 2, subject }, unreadable: null, differences })).toEqual({
    sentence: 'The file lists 2 packages.',
    rows: [
      ['Format', 'spdx-2.3'],
      ['Packages', '2'],
      ['Describes', 'shop 1.2'],
      ['Package address', 'pkg:npm/shop@1.2'],
    ],
    differences: [
      'The reporter stated 3 as the number of packages, the file says 2.',
      'The reporter stated nothing as the package address of the subject, the file says pkg:npm/shop@1.2.',
    ],
  });
});

test('says why a file could not be read', () => {
  expect(view({ read: null, unreadable: 'Invalid JSON', differences: [] })).toEqual({
    sentence: 'The file could not be read, so its packages are not known: Invalid JSON',
    rows: [],
    differences: [],
  });
});

test('says that a file names no single subject', () => {
  const read = { format: 'spdx-2.3', package_count: 0, subject: null };
  expect(view({ read, unreadable: null, differences: [] })?.rows).toContainEqual([
    'Describes',
    'the file names no single subject',
  ]);
});

test('is nothing for other types, and for erased facts', () => {
  expect(view({ read: null }, 'generic')).toBeNull();
  expect(view(undefined)).toBeNull();
});
