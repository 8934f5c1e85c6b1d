import { type AccessPattern, ONE, patternsOf } from './access-patterns.ts';
import * as keys from './keys.ts';

const ORG = '{org}';

const rows = patternsOf(keys);

/** Access patterns of answered requests. */
export const REQUEST_PATTERNS: readonly AccessPattern[] = [
  ...rows('Lists', [
    'Was this request answered before?',
    'idempotencyKey',
    keys.idempotencyKey(ORG, '{principal}', '{digest}'),
    `${ONE}, with an Idempotency-Key only`,
  ]),
];
