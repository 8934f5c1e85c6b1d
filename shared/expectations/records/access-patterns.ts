import { FlowId, OrganizationId } from '#shared/base/ids.ts';
import { AnyTrailName } from '#shared/base/names.ts';
import { fromSeconds } from '#shared/base/time.ts';
import { type AccessPattern, ONE, patternsOf, RANGE, WRITE } from '#shared/table/access-patterns.ts';
import * as keys from './keys.ts';

const ORG = OrganizationId.parse('{org}');
const FLOW = FlowId.parse('{flow id}');
const TRAIL = AnyTrailName.parse('{trail}');

const MINUTE = fromSeconds(1_700_000_000);

const rows = patternsOf(keys);

/** Access patterns of expectations and gaps. */
export const EXPECTATION_PATTERNS: readonly AccessPattern[] = rows(
  'Expectations',
  ['Which expectations are there, by name?', 'expectationList', [ORG], RANGE],
  ['What does an expectation say now?', 'expectationKey', [ORG, '{name}'], ONE],
  ['Which versions of expectations were there?', 'expectationVersions', [ORG], 'Query of exports, page by page'],
  ['What were versions m to n of an expectation?', 'expectationVersionKey', [ORG, '{name}', 3], RANGE],
  ['Which gaps were there, and which lately?', 'gapList', [ORG], RANGE],
  ['What does a gap say?', 'gapKey', [ORG, '{gap}'], ONE],
  ['Which gaps have not ended?', 'ongoingGaps', [ORG], RANGE],
  [
    'Does a gap of an expectation and a subject last?',
    'ongoingGapKey',
    [ORG, 'environment:{id}', '{expectation}'],
    WRITE,
  ],
  [
    'Which organizations have expectations, and when is a look due?',
    'expectingPartition',
    [1],
    `${keys.EXPECTING_SHARDS} Queries by sweeps`,
  ],
  ['When was the last look at an organization?', 'expectingKey', [OrganizationId.parse('{org}1')], WRITE],
  ['In which minute did the service sweep last?', 'beatList', [], 'Query of one item'],
  ['Did the service sweep in a minute?', 'beatKey', [MINUTE], 'Put by sweeps, once a minute'],
  ['In which minutes did the service not sweep?', 'unknownTimes', [], RANGE],
  ['Where do missing minutes begin?', 'unknownTimeKey', [MINUTE], WRITE],
  [
    'When did each flow last have a compliant attestation of this name (type, control), or begin a trail?',
    'arrivalPartition',
    [ORG, 'name', '{name}'],
    'Query: 1 unit per 4 KB of all flows that had one',
  ],
  ['When did this flow?', 'arrivalKey', [ORG, 'begun', '', FLOW], WRITE],
  ['When was a trail compliant first?', 'completionKey', [ORG, FLOW, TRAIL], 'BatchGet: 1 unit per trail of a page'],
);
