import { OrganizationId } from '#shared/base/ids.ts';
import { fromSeconds } from '#shared/base/time.ts';
import { type AccessPattern, ONE, patternsOf } from '#shared/table/access-patterns.ts';
import * as keys from './keys.ts';

const ORG = OrganizationId.parse('{org}');

const rows = patternsOf(keys);

export const EXPORT_PATTERNS: readonly AccessPattern[] = [
  ...rows(
    'Exports',
    ['Which exports are there?', 'exportPartition', [ORG], 'Query: the newest 100'],
    ['How far is export x?', 'exportKey', [ORG, '{id}'], ONE],
    ['Which export was started last?', 'latestExportKey', [ORG], ONE],
    [
      'Are exports to be removed because of an erasure?',
      'exportsErasureKey',
      [ORG],
      'Get, Put and Delete by erasures; checked by the end of an export',
    ],
    ['Which exports still run?', 'runningExports', [], 'Query by sweeps: 1 unit per 4 KB'],
    ['Which packages are there?', 'packagePartition', [ORG], 'Query by erasures'],
    ['How far is package x?', 'packageKey', [ORG, '{id}'], ONE],
    ['Which package about something was started last?', 'latestPackageKey', [ORG, '{sha-256}'], ONE],
    ['Which packages still run?', 'runningPackages', [], 'Query by sweeps: 1 unit per 4 KB'],
    [
      'Does this package?',
      'runningPackageKey',
      [fromSeconds(1_800_000_000), ORG, '{id}'],
      'Put and Delete with the package',
    ],
    ['Does this one?', 'runningExportKey', [fromSeconds(1_800_000_000), ORG, '{id}'], 'Put and Delete with the export'],
  ),
];
