import { OrganizationId } from '#shared/base/ids.ts';
import { fromSeconds } from '#shared/base/time.ts';
import { type AccessPattern, ONE, patternsOf } from '#shared/table/access-patterns.ts';
import * as keys from './keys.ts';

const ORG = OrganizationId.parse('{org}');

const rows = patternsOf(keys);

export const EVALUATION_PATTERNS: readonly AccessPattern[] = [
  ...rows(
    'Evaluations',
    ['What became of evaluation x?', 'evaluationKey', [ORG, '{id}'], ONE],
    ['Which evaluations still wait?', 'pendingEvaluations', [], 'Query by sweeps: 1 unit per 4 KB'],
    [
      'Does this one?',
      'pendingEvaluationKey',
      [fromSeconds(1_800_000_000), ORG, '{id}'],
      'Put and Delete with the evaluation',
    ],
  ),
];
