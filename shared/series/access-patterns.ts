import { OrganizationId } from '#shared/base/ids.ts';
import { type AccessPattern, ONE, patternsOf, WRITE } from '#shared/table/access-patterns.ts';
import * as keys from './keys.ts';

const ORG = OrganizationId.parse('{org}');

const rows = patternsOf(keys);

/** Access patterns of catalogues and time series. */
export const SERIES_PATTERNS: readonly AccessPattern[] = [
  ...rows(
    'Lists',
    [
      'Which flows (types, repositories, …) are there?',
      'cataloguePartition',
      [ORG, '{kind}'],
      'Query: 1 unit per 4 KB of all entries',
    ],
    ['Which entry has a record in its catalogue?', 'catalogueKey', [ORG, '{kind}', '{id}'], 'Put with the record'],
    [
      'When was a flow last active and last deployed, and what was its state?',
      'activityKey',
      [ORG, '{kind}', '{id}'],
      'with its catalogue; 1 unit for one flow',
    ],
    [
      'Which entries has a time series, from one id to another?',
      'seriesPartition',
      [ORG, '{series}', '202611'],
      'a Query per month of the page or the tail: 1 unit per 4 KB, at most 512 entries and the page',
    ],
    ['Which milestones has a series?', 'seriesDirectory', [ORG, '{series}'], 'Query: the newest; those near a page'],
    ['In which months has it entries?', 'seriesMonthsKey', [ORG, '{series}'], ONE],
    [
      'Which entry is number n × 64?',
      'seriesMilestoneKey',
      [ORG, '{series}', 512],
      'Query of a range around a page: 1 unit',
    ],
    [
      'How many entries come before an instant?',
      'seriesMilestoneIdKey',
      [ORG, '{series}', '{entry id}'],
      'Query of the one before it: 1 unit, and its stretch',
    ],
    ['Which series may have earned milestones?', 'dueSeriesList', [ORG], 'Query by sweeps'],
    ['Is a series listed for sweeps?', 'dueSeriesKey', [ORG, '{series}'], WRITE],
  ),
];
