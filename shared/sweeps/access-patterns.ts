import { OrganizationId } from '#shared/base/ids.ts';
import { type AccessPattern, patternsOf, WRITE } from '#shared/table/access-patterns.ts';
import * as keys from './keys.ts';

const ORG = OrganizationId.parse('{org}');

/** Access patterns of sweeps. */
export const SWEEP_PATTERNS: readonly AccessPattern[] = patternsOf(keys)(
  'Sweeps',
  ['How far was a list checked?', 'positionKey', [ORG, '{list}'], WRITE],
  ['In which organizations did something happen?', 'activePartition', [1], `${keys.ACTIVE_SHARDS} Queries by sweeps`],
  [
    'Is an organization listed for the sweeps?',
    'activeKey',
    [OrganizationId.parse('{org}1')],
    'Put by the relay, once a minute',
  ],
  ['At which organization does a sweep resume?', 'sweepPositionKey', ['{sweep}'], WRITE],
  ['Which records did the relay set aside?', 'setAsideList', [], 'Query by sweeps'],
  ['Was the record of an item set aside?', 'setAsideKey', ['{sha-256}'], WRITE],
);
