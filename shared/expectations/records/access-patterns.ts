import { OrganizationId } from '#shared/base/ids.ts';
import { type AccessPattern, ONE, patternsOf, RANGE } from '#shared/table/access-patterns.ts';
import * as keys from './keys.ts';

const ORG = OrganizationId.parse('{org}');

const rows = patternsOf(keys);

/** Access patterns of expectations. */
export const EXPECTATION_PATTERNS: readonly AccessPattern[] = rows(
  'Expectations',
  ['Which expectations are there, by name?', 'expectationList', [ORG], RANGE],
  ['What does an expectation say now?', 'expectationKey', [ORG, '{name}'], ONE],
  ['Which versions of expectations were there?', 'expectationVersions', [ORG], 'Query of exports, page by page'],
  ['What were versions m to n of an expectation?', 'expectationVersionKey', [ORG, '{name}', 3], RANGE],
);
