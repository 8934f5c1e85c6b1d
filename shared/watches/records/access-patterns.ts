import { OrganizationId } from '#shared/base/ids.ts';
import { type AccessPattern, ONE, patternsOf, RANGE, WRITE } from '#shared/table/access-patterns.ts';
import * as keys from './keys.ts';

const ORG = OrganizationId.parse('{org}');

const rows = patternsOf(keys);

/** Access patterns of watches. */
export const WATCH_PATTERNS: readonly AccessPattern[] = rows(
  'Watches',
  ['Which watches are there, by name?', 'watchList', [ORG], RANGE],
  ['What does a watch ask?', 'watchKey', [ORG, '{name}'], ONE],
  ['What did a watch match?', 'matchList', [ORG], RANGE],
  ['Has a watch matched at all, or in an environment?', 'matchKey', [ORG, '{watch}#{environment}'], WRITE],
  ['Which watches have asked the whole index, and when?', 'askedList', [ORG], RANGE],
  ['Has a watch?', 'askedKey', [ORG, '{watch}'], WRITE],
);
