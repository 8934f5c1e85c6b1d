import { OrganizationId } from '#shared/base/ids.ts';
import { type AccessPattern, ONE, patternsOf } from '#shared/table/access-patterns.ts';
import * as keys from './keys.ts';

const ORG = OrganizationId.parse('{org}');

const rows = patternsOf(keys);

/** Access patterns of bodies and uploads. */
export const BODY_PATTERNS: readonly AccessPattern[] = [
  ...rows(
    'Bodies',
    ['Who uses a body?', 'bodyPartition', [ORG, '{sha-256}'], 'Query by erasures: 1 unit per 4 KB'],
    ['Where is a shared body?', 'bodyKey', [ORG, '{sha-256}'], `${ONE}; none while it is remembered`],
    ['Does x use a body?', 'bodyUseKey', [ORG, '{sha-256}', '{user}'], 'Put with the record'],
    ['Which objects has an erasure still to remove?', 'erasurePartition', [ORG], 'Query by erasures'],
    ['Is object x to be removed?', 'erasureKey', [ORG, 'evidence', '{sha-256}'], 'Put and Delete by erasures'],
    ['What was announced as upload x?', 'uploadKey', [ORG, '{upload id}'], ONE],
  ),
];
